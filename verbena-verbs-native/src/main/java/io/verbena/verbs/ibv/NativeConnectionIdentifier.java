// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

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

import io.verbena.verbs.ConnectionParameters;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Errno;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.spi.Children;
import io.verbena.verbs.spi.ConnectionArguments;
import io.verbena.verbs.spi.ConnectionState;
import io.verbena.verbs.spi.IdentifierQueuePair;
import io.verbena.verbs.spi.IdentifierState;
import io.verbena.verbs.spi.QueuedEventChannel;
import io.verbena.verbs.spi.StatefulIdentifier;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One end of a connection, or a listener; {@code rdma_cm_id}. Any thread may use it.
 *
 * <p>Addresses mean what the kernel makes of them: the IPv4 wildcard takes only IPv4 requests, the
 * IPv6 wildcard takes both.
 */
final class NativeConnectionIdentifier extends StatefulIdentifier {
    private final CmEventLoop loop;
    private final long key;
    private final CmIdentifier handle;
    private final IdentifierState state;
    private final IdentifierQueuePair<NativeQueuePair> pair;
    private final ConnectionProgress connection;
    private final Semaphore backlog = new Semaphore(0);

    /**
     * An identifier.
     *
     * @param loop handles its events
     * @param key the key that comes with its events
     * @param handle the underlying {@code rdma_cm_id}
     * @param initial the initial state
     * @param channel where it reports; a request has none until it is taken
     */
    NativeConnectionIdentifier(
            CmEventLoop loop,
            long key,
            CmIdentifier handle,
            ConnectionState initial,
            Optional<QueuedEventChannel> channel) {
        super(initial, channel);
        this.loop = loop;
        this.key = key;
        this.handle = handle;
        this.state = state();
        this.pair =
                new IdentifierQueuePair<>(this, state, NativeQueuePair.class, handle::initialize);
        this.connection =
                new ConnectionProgress(state, pair, handle, loop.context().device().name());
    }

    @Override
    public DeviceContext context() {
        return loop.context();
    }

    @Override
    public void bind(InetSocketAddress address) {
        String verb = "rdma_bind_addr";
        inOrder(
                () -> {
                    state.expect(verb, IDLE);
                    if (address.isUnresolved()) {
                        throw new VerbsException(
                                verb,
                                Errno.EADDRNOTAVAIL,
                                "local: " + address + " (expected: an address of this host)");
                    }
                    handle.bind(address);
                    CmPath path = handle.path();
                    Optional<String> foreign = connection.foreign(path, address);
                    if (foreign.isPresent()) {
                        state.tryEnter(FAILED, () -> {}, IDLE);
                        throw new VerbsException(verb, Errno.ENODEV, foreign.get());
                    }
                    state.enter(verb, BOUND, () -> connection.bound(path), IDLE);
                });
    }

    @Override
    public void listen(int requests) {
        ConnectionArguments.backlog(requests);
        inOrder(
                () -> {
                    // Set the state and the backlog before the first request can arrive.
                    state.enter("rdma_listen", LISTENING, () -> backlog.release(requests), BOUND);
                    try {
                        handle.listen();
                    } catch (VerbsException e) {
                        state.tryEnter(BOUND, backlog::drainPermits, LISTENING);
                        throw e;
                    }
                });
    }

    @Override
    public void resolveAddress(InetSocketAddress destination, Duration timeout) {
        Objects.requireNonNull(destination, "destination");
        Objects.requireNonNull(timeout, "timeout");
        inOrder(
                () -> {
                    ConnectionState before =
                            state.enter(
                                    "rdma_resolve_addr", RESOLVING_ADDRESS, () -> {}, IDLE, BOUND);
                    connection.resolvingFrom(before);
                    if (destination.isUnresolved()) {
                        startLookUp(destination, timeout, before);
                    } else {
                        resolve(destination, timeout, before);
                    }
                });
    }

    /** A name server may be slow; a platform thread, because all carriers may be computing. */
    private void startLookUp(
            InetSocketAddress destination, Duration timeout, ConnectionState before) {
        try {
            Thread.ofPlatform()
                    .daemon()
                    .name("verbena-cm-resolve")
                    .start(() -> lookUp(destination, timeout, before));
        } catch (OutOfMemoryError e) {
            connection.onUnresolved(before, Errno.ENOMEM, "no thread to look up " + destination);
        }
    }

    private void lookUp(InetSocketAddress destination, Duration timeout, ConnectionState before) {
        try {
            InetAddress host = InetAddress.getByName(destination.getHostString());
            resolve(new InetSocketAddress(host, destination.getPort()), timeout, before);
        } catch (UnknownHostException e) {
            connection.onUnresolved(before, Errno.EHOSTUNREACH, "unknown host " + e.getMessage());
        } catch (Throwable e) { // or those who wait for the address would not learn of it
            connection.onUnresolved(before, Errno.EIO, destination + ": " + e);
        }
    }

    /** Failures are reported by an event, whether the kernel finds them at once or later. */
    private void resolve(InetSocketAddress destination, Duration timeout, ConnectionState before) {
        try {
            handle.resolveAddress(destination, timeout);
        } catch (VerbsException e) {
            connection.onUnresolved(before, e.errno(), e.getMessage());
        } catch (IllegalStateException e) {
            connection.onUnresolved(before, Errno.EIO, e.getMessage());
        }
    }

    @Override
    public void resolveRoute(Duration timeout) {
        Objects.requireNonNull(timeout, "timeout");
        inOrder(
                () -> {
                    state.enter("rdma_resolve_route", RESOLVING_ROUTE, () -> {}, ADDRESS_RESOLVED);
                    step(() -> handle.resolveRoute(timeout), ADDRESS_RESOLVED, RESOLVING_ROUTE);
                });
    }

    @Override
    public QueuePair createQueuePair(ProtectionDomain domain, QueuePairOptions options) {
        return pair.create(domain, options);
    }

    @Override
    public Optional<QueuePair> queuePair() {
        return pair.get().map(own -> own);
    }

    @Override
    public void connect(ConnectionParameters parameters) {
        String verb = "rdma_connect";
        ConnectionArguments.privateData(
                parameters.privateData(), ConnectionParameters.MAX_CONNECT_DATA);
        inOrder(
                () -> {
                    state.expect(verb, ROUTE_RESOLVED);
                    NativeQueuePair own = pair.require(verb);
                    ConnectionParameters offer =
                            ConnectionArguments.limited(verb, parameters, context().queryDevice());
                    connection.offer(offer);
                    state.enter(verb, CONNECTING, () -> {}, ROUTE_RESOLVED);
                    step(() -> handle.connect(offer, own.number()), ROUTE_RESOLVED, CONNECTING);
                });
    }

    @Override
    public void accept(ConnectionParameters parameters) {
        String verb = "rdma_accept";
        ConnectionArguments.privateData(
                parameters.privateData(), ConnectionParameters.MAX_ACCEPT_DATA);
        inOrder(
                () -> {
                    if (state.current() == FAILED) {
                        throw gone(verb, null);
                    }
                    state.expect(verb, REQUESTED);
                    NativeQueuePair own = pair.require(verb);
                    ConnectionParameters answer =
                            CmOffer.answer(verb, parameters, connection.offered(), context());
                    state.enter(verb, ACCEPTING, () -> {}, REQUESTED);
                    accept(own, answer);
                    if (state.tryEnter(ACCEPTED, () -> {}, ACCEPTING).isEmpty()) {
                        throw IdentifierState.closed();
                    }
                });
    }

    private void accept(NativeQueuePair pair, ConnectionParameters answer) {
        try {
            handle.bringUp(pair, answer);
            handle.accept(answer, pair.number());
        } catch (VerbsException e) {
            if (e.verb().equals("ibv_modify_qp")) {
                state.tryEnter(REQUESTED, () -> {}, ACCEPTING);
                throw e;
            }
            // The kernel has no other way to report that the request no longer exists.
            connection.failPair();
            state.tryEnter(FAILED, () -> {}, ACCEPTING);
            throw gone("rdma_accept", e);
        }
    }

    private VerbsException gone(String verb, Throwable cause) {
        String peer = connection.remote().map(Object::toString).orElse("the peer");
        return new VerbsException(
                verb, Errno.ECONNRESET, peer + " went away, or was rejected", cause);
    }

    @Override
    public void reject(byte[] privateData) {
        ConnectionArguments.privateData(privateData, ConnectionParameters.MAX_REJECT_DATA);
        inOrder(
                () -> {
                    state.enter("rdma_reject", FAILED, () -> {}, REQUESTED);
                    handle.reject(privateData);
                });
    }

    @Override
    public void disconnect() {
        inOrder(
                () -> {
                    if (state.tryEnter(DISCONNECTING, () -> {}, ACCEPTED, ESTABLISHED)
                            .isPresent()) {
                        connection.disconnect();
                        return;
                    }
                    // Already disconnected by either side, or never connected: nothing left to do.
                    state.expect("rdma_disconnect", DISCONNECTING, DISCONNECTED, FAILED);
                });
    }

    @Override
    public Optional<InetSocketAddress> localAddress() {
        return connection.local();
    }

    @Override
    public Optional<InetSocketAddress> remoteAddress() {
        return connection.remote();
    }

    @Override
    public String toString() {
        return super.toString() + connection.trouble().map(text -> " (" + text + ")").orElse("");
    }

    @Override
    public void requestTaken() {
        backlog.release();
    }

    /** Handles an event; event thread only. */
    void onEvent(CmEvent event) {
        inOrder(() -> connection.on(event));
    }

    /** Takes a request to this listener, or refuses it by closing it; event thread only. */
    void onRequest(CmIdentifier requested, CmEvent event) {
        // The wildcard address takes requests of every device.
        if (!event.path().mayUse(context().device().name()) || !backlog.tryAcquire()) {
            requested.close();
            return;
        }
        NativeConnectionIdentifier identifier = loop.adopt(requested);
        identifier.connection.follow(event.path());
        identifier.connection.offer(event.parameters());
        if (!state.reportRequest(identifier, event.parameters())) {
            identifier.close();
        }
    }

    @Override
    protected void release(IdentifierState.Remains remains) {
        // First, so that nobody finds an identifier that is being freed.
        loop.forget(key);
        if (remains.state() == ACCEPTED || remains.state() == ESTABLISHED) {
            connection.disconnect();
        }
        Children remaining = new Children();
        remaining.add(handle);
        pair.get().ifPresent(remaining::add);
        remains.events().stream()
                .filter(entry -> entry.event().listener().isPresent())
                .forEach(untaken -> remaining.add(untaken.event().identifier()));
        remaining.closeAll();
    }

    /** Runs a verb or handles an event, one at a time. */
    private void inOrder(Runnable action) {
        ReentrantLock lock = handle.lock();
        lock.lock();
        try {
            action.run();
        } finally {
            lock.unlock();
        }
    }

    /** Takes a step whose state has already been entered, and goes back if it fails. */
    private void step(Runnable action, ConnectionState before, ConnectionState during) {
        try {
            action.run();
        } catch (VerbsException e) {
            state.tryEnter(before, () -> {}, during);
            throw e;
        }
    }
}
