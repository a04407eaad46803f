// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft.cm;

import static io.verbena.verbs.spi.ConnectionState.ACCEPTED;
import static io.verbena.verbs.spi.ConnectionState.ACCEPTING;
import static io.verbena.verbs.spi.ConnectionState.ADDRESS_RESOLVED;
import static io.verbena.verbs.spi.ConnectionState.BOUND;
import static io.verbena.verbs.spi.ConnectionState.CONNECTING;
import static io.verbena.verbs.spi.ConnectionState.DISCONNECTED;
import static io.verbena.verbs.spi.ConnectionState.DISCONNECTING;
import static io.verbena.verbs.spi.ConnectionState.ESTABLISHED;
import static io.verbena.verbs.spi.ConnectionState.FAILED;
import static io.verbena.verbs.spi.ConnectionState.IDLE;
import static io.verbena.verbs.spi.ConnectionState.LISTENING;
import static io.verbena.verbs.spi.ConnectionState.REQUESTED;
import static io.verbena.verbs.spi.ConnectionState.RESOLVING_ADDRESS;
import static io.verbena.verbs.spi.ConnectionState.RESOLVING_ROUTE;
import static io.verbena.verbs.spi.ConnectionState.ROUTE_RESOLVED;

import io.verbena.verbs.ConnectionEventType;
import io.verbena.verbs.ConnectionParameters;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Errno;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.soft.cm.CmMessage.Endpoint;
import io.verbena.verbs.soft.cm.CmMessage.Offer;
import io.verbena.verbs.soft.cm.CmMessage.Reject;
import io.verbena.verbs.soft.cm.CmMessage.Reply;
import io.verbena.verbs.soft.cm.CmMessage.Request;
import io.verbena.verbs.spi.ConnectionArguments;
import io.verbena.verbs.spi.ConnectionState;
import io.verbena.verbs.spi.IdentifierQueuePair;
import io.verbena.verbs.spi.IdentifierState;
import io.verbena.verbs.spi.QueuedEventChannel;
import io.verbena.verbs.spi.StatefulIdentifier;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/**
 * One end of a connection, or a listener, of the software device. Any thread may use it.
 *
 * <p>It reaches this host only: an address of another host is an ADDRESS_ERROR with EHOSTUNREACH. A
 * port belongs to one listener whatever address it is bound to: binding two addresses to one port
 * is EADDRINUSE. The local port of an active side is for display only and is not reserved.
 *
 * <p>As in librdmacm, the {@code rnrRetryCount} a side gives is how many times its <em>peer</em>
 * retries when this side has no receive posted, and the {@code retryCount} of the active side
 * counts for both.
 */
final class SoftConnectionIdentifier extends StatefulIdentifier {
    private final ConnectionManager manager;
    private final IdentifierState state;
    private final IdentifierQueuePair<QueuePair> pair;
    private volatile Optional<InetSocketAddress> local = Optional.empty();
    private volatile Optional<InetSocketAddress> remote = Optional.empty();
    private volatile Optional<CmConnection> connection = Optional.empty();
    private volatile Optional<CmListener> listener = Optional.empty();

    SoftConnectionIdentifier(
            ConnectionManager manager,
            ConnectionState initial,
            Optional<QueuedEventChannel> channel) {
        super(initial, channel);
        this.manager = manager;
        this.state = state();
        this.pair =
                new IdentifierQueuePair<>(this, state, QueuePair.class, ConnectionPath::initialize);
    }

    /** {@return an identifier for an incoming request, on no channel until it is taken} */
    static SoftConnectionIdentifier requested(
            ConnectionManager manager, CmSocket socket, Request request) {
        SoftConnectionIdentifier identifier =
                new SoftConnectionIdentifier(manager, REQUESTED, Optional.empty());
        identifier.local = Optional.of(request.destination());
        identifier.remote = Optional.of(request.source());
        identifier.connection = Optional.of(identifier.connection(socket, request));
        return identifier;
    }

    @Override
    public DeviceContext context() {
        return manager.context();
    }

    @Override
    public void bind(InetSocketAddress address) {
        state.expect("rdma_bind_addr", IDLE);
        InetAddress host = address.getAddress();
        if (host == null || !HostAddresses.contains(host)) {
            throw new VerbsException(
                    "rdma_bind_addr",
                    Errno.EADDRNOTAVAIL,
                    "local: " + address + " (expected: an address of this host)");
        }
        CmPort port = CmPort.bind(manager, address.getPort());
        CmListener bound = new CmListener(manager, state, port, host);
        try {
            Runnable inStep =
                    () -> {
                        local = Optional.of(new InetSocketAddress(host, port.number()));
                        listener = Optional.of(bound);
                    };
            state.enter("rdma_bind_addr", BOUND, inStep, IDLE);
        } catch (RuntimeException e) {
            bound.close();
            throw e;
        }
    }

    @Override
    public void listen(int backlog) {
        ConnectionArguments.backlog(backlog);
        Runnable inStep = () -> listener.orElseThrow().listen(backlog);
        state.enter("rdma_listen", LISTENING, inStep, BOUND);
    }

    @Override
    public void resolveAddress(InetSocketAddress destination, Duration timeout) {
        Objects.requireNonNull(destination, "destination");
        Objects.requireNonNull(timeout, "timeout");
        ConnectionState before =
                state.enter("rdma_resolve_addr", RESOLVING_ADDRESS, () -> {}, IDLE, BOUND);
        AddressResolution.start(
                manager.threads(),
                destination,
                timeout,
                this::onResolved,
                errno -> onUnresolved(before, errno));
    }

    private void onResolved(InetSocketAddress destination) {
        Runnable inStep =
                () -> {
                    remote = Optional.of(destination);
                    local = Optional.of(local.orElseGet(() -> ephemeral(destination)));
                    state.report(ConnectionEventType.ADDRESS_RESOLVED, 0);
                };
        state.tryEnter(ADDRESS_RESOLVED, inStep, RESOLVING_ADDRESS);
    }

    private void onUnresolved(ConnectionState before, int errno) {
        Runnable inStep = () -> state.report(ConnectionEventType.ADDRESS_ERROR, -errno);
        state.tryEnter(before, inStep, RESOLVING_ADDRESS);
    }

    @Override
    public void resolveRoute(Duration timeout) {
        Objects.requireNonNull(timeout, "timeout");
        state.enter("rdma_resolve_route", RESOLVING_ROUTE, () -> {}, ADDRESS_RESOLVED);
        // Within one host there is only one route, and it needs no resolution.
        Runnable inStep = () -> state.report(ConnectionEventType.ROUTE_RESOLVED, 0);
        state.tryEnter(ROUTE_RESOLVED, inStep, RESOLVING_ROUTE);
    }

    @Override
    public QueuePair createQueuePair(ProtectionDomain domain, QueuePairOptions options) {
        return pair.create(domain, options);
    }

    @Override
    public Optional<QueuePair> queuePair() {
        return pair.get();
    }

    @Override
    public void connect(ConnectionParameters parameters) {
        String verb = "rdma_connect";
        PrivateData privateData =
                PrivateData.of(parameters.privateData(), ConnectionParameters.MAX_CONNECT_DATA);
        state.expect(verb, ROUTE_RESOLVED);
        Request request =
                new Request(
                        remote.orElseThrow(),
                        local.orElseThrow(),
                        endpoint(pair.require(verb)),
                        offer(verb, parameters),
                        context().queryPort(ConnectionManager.PORT).activeMtu(),
                        privateData);
        CmSocket socket = openSocket(verb);
        CmConnection calling = connection(socket, request);
        try {
            Runnable inStep = () -> connection = Optional.of(calling);
            state.enter(verb, CONNECTING, inStep, ROUTE_RESOLVED);
        } catch (RuntimeException e) {
            socket.close();
            throw e;
        }
        manager.threads().execute(calling::call);
    }

    @Override
    public void accept(ConnectionParameters parameters) {
        String verb = "rdma_accept";
        PrivateData privateData =
                PrivateData.of(parameters.privateData(), ConnectionParameters.MAX_ACCEPT_DATA);
        if (state.current() == FAILED) {
            throw new VerbsException(
                    verb, Errno.ECONNRESET, remote.orElseThrow() + " went away, or was rejected");
        }
        state.expect(verb, REQUESTED);
        QueuePair own = pair.require(verb);
        Reply reply = new Reply(endpoint(own), offer(verb, parameters), privateData);
        state.enter(verb, ACCEPTING, () -> {}, REQUESTED);
        connection.orElseThrow().accept(own, reply);
    }

    @Override
    public void reject(byte[] privateData) {
        PrivateData bytes = PrivateData.of(privateData, ConnectionParameters.MAX_REJECT_DATA);
        state.enter("rdma_reject", FAILED, () -> {}, REQUESTED);
        connection.orElseThrow().refuse(new Reject(CmRejectReason.CONSUMER, bytes));
    }

    @Override
    public void disconnect() {
        if (state.tryEnter(DISCONNECTING, () -> {}, ACCEPTED, ESTABLISHED).isPresent()) {
            connection.orElseThrow().disconnect();
            return;
        }
        // Already disconnected by either side, or never connected: nothing left to do.
        state.expect("rdma_disconnect", DISCONNECTING, DISCONNECTED, FAILED);
    }

    @Override
    public Optional<InetSocketAddress> localAddress() {
        return local;
    }

    @Override
    public Optional<InetSocketAddress> remoteAddress() {
        return remote;
    }

    @Override
    public void requestTaken() {
        listener.ifPresent(CmListener::requestTaken);
    }

    /** Refuses a request that nobody has taken, because the listener is gone. */
    void refuseUntaken() {
        if (state.close().isPresent()) {
            Reject reject = new Reject(CmRejectReason.INVALID_SERVICE, PrivateData.NONE);
            connection.orElseThrow().refuse(reject);
        }
    }

    /** Reads what the peer of a request says until the connection has ended. */
    void readAll() {
        connection.orElseThrow().readAll();
    }

    @Override
    protected void release(IdentifierState.Remains remains) {
        try {
            listener.ifPresent(CmListener::close);
        } finally {
            remains.events().stream()
                    .filter(entry -> entry.event().listener().isPresent())
                    .map(entry -> (SoftConnectionIdentifier) entry.event().identifier())
                    .forEach(SoftConnectionIdentifier::refuseUntaken);
            connection.ifPresent(open -> open.abandon(remains.state()));
            pair.get().ifPresent(QueuePair::close);
        }
    }

    private CmConnection connection(CmSocket socket, Request request) {
        return new CmConnection(state, this::queuePair, manager, socket, request);
    }

    private Endpoint endpoint(QueuePair pair) {
        int psn = ThreadLocalRandom.current().nextInt(1 << 24);
        return new Endpoint(manager.gid(), pair.number(), psn);
    }

    private Offer offer(String verb, ConnectionParameters parameters) {
        ConnectionParameters limited =
                ConnectionArguments.limited(verb, parameters, context().queryDevice());
        return new Offer(
                limited.responderResources(),
                limited.initiatorDepth(),
                limited.retryCount(),
                limited.rnrRetryCount());
    }

    private CmSocket openSocket(String verb) {
        try {
            return new CmSocket(SocketChannel.open(StandardProtocolFamily.UNIX), manager.threads());
        } catch (IOException e) {
            throw new VerbsException(verb, Errno.EAGAIN, "cannot open a socket: " + e, e);
        }
    }

    private static InetSocketAddress ephemeral(InetSocketAddress destination) {
        int port = HostAddresses.ephemeralPorts().findFirst().orElseThrow();
        return new InetSocketAddress(destination.getAddress(), port);
    }
}
