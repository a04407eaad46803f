// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import static io.verbena.verbs.spi.ConnectionState.ACCEPTED;
import static io.verbena.verbs.spi.ConnectionState.ACCEPTING;
import static io.verbena.verbs.spi.ConnectionState.ADDRESS_RESOLVED;
import static io.verbena.verbs.spi.ConnectionState.CONNECTING;
import static io.verbena.verbs.spi.ConnectionState.DISCONNECTED;
import static io.verbena.verbs.spi.ConnectionState.DISCONNECTING;
import static io.verbena.verbs.spi.ConnectionState.ESTABLISHED;
import static io.verbena.verbs.spi.ConnectionState.ESTABLISHING;
import static io.verbena.verbs.spi.ConnectionState.FAILED;
import static io.verbena.verbs.spi.ConnectionState.REQUESTED;
import static io.verbena.verbs.spi.ConnectionState.RESOLVING_ADDRESS;
import static io.verbena.verbs.spi.ConnectionState.RESOLVING_ROUTE;
import static io.verbena.verbs.spi.ConnectionState.ROUTE_RESOLVED;

import io.verbena.verbs.ConnectionEventType;
import io.verbena.verbs.ConnectionParameters;
import io.verbena.verbs.Errno;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.spi.ConnectionState;
import io.verbena.verbs.spi.IdentifierQueuePair;
import io.verbena.verbs.spi.IdentifierState;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * How an identifier follows what librdmacm reports: it changes its state, moves its queue pair and
 * reports events. All of this happens under the lock of the {@link CmIdentifier}, on the event
 * thread or inside a verb, so a verb and an event never overlap; only closing may overlap.
 *
 * <p>librdmacm knows nothing about our queue pair, which has another {@code ibv_context}, so we
 * move it ourselves. The passive side moves it before it accepts. The active side gets
 * CONNECT_RESPONSE, which librdmacm keeps to itself if it owns the queue pair; it then moves the
 * queue pair and ends the handshake.
 */
final class ConnectionProgress {
    private final IdentifierState state;
    private final IdentifierQueuePair<NativeQueuePair> pair;
    private final CmIdentifier handle;
    private final String device;
    private volatile Optional<InetSocketAddress> local = Optional.empty();
    private volatile Optional<InetSocketAddress> remote = Optional.empty();
    private volatile Optional<String> trouble = Optional.empty();
    // Guarded by the handle's lock.
    private ConnectionState beforeResolving = ConnectionState.IDLE;
    private ConnectionParameters offered = ConnectionParameters.ZERO;

    ConnectionProgress(
            IdentifierState state,
            IdentifierQueuePair<NativeQueuePair> pair,
            CmIdentifier handle,
            String device) {
        this.state = state;
        this.pair = pair;
        this.handle = handle;
        this.device = device;
    }

    Optional<InetSocketAddress> local() {
        return local;
    }

    Optional<InetSocketAddress> remote() {
        return remote;
    }

    /** {@return what went wrong, if it needs more text than an event has room for} */
    Optional<String> trouble() {
        return trouble;
    }

    /** Remembers the state that a failed resolution goes back to. */
    void resolvingFrom(ConnectionState before) {
        beforeResolving = before;
    }

    /** Remembers what this side offers the peer. */
    void offer(ConnectionParameters parameters) {
        offered = parameters;
    }

    /** {@return what this side, or for a request the peer, has offered} */
    ConnectionParameters offered() {
        return offered;
    }

    /** Takes over only the local address. */
    void bound(CmPath path) {
        local = path.local();
    }

    /** Takes over both addresses of a path. */
    void follow(CmPath path) {
        local = path.local();
        remote = path.remote();
        trouble = Optional.empty();
    }

    /**
     * {@return why a path cannot be used, if it leads through a device other than the context's}
     *
     * @param address what was asked for
     */
    Optional<String> foreign(CmPath path, Object address) {
        if (path.mayUse(device)) {
            return Optional.empty();
        }
        trouble =
                Optional.of(
                        address
                                + " is reached through device "
                                + path.device().orElseThrow()
                                + ", this context is "
                                + device);
        return trouble;
    }

    /** Goes back to the state before the resolution, and reports that the address was not found. */
    void onUnresolved(ConnectionState before, int errno, String why) {
        trouble = Optional.of(why);
        Runnable inStep = () -> state.report(ConnectionEventType.ADDRESS_ERROR, -errno);
        state.tryEnter(before, inStep, RESOLVING_ADDRESS);
    }

    /** Handles an event; event thread only. */
    void on(CmEvent event) {
        switch (event.type()) {
            case ADDRESS_RESOLVED -> onAddressResolved(event.path());
            case ADDRESS_ERROR -> back(event, beforeResolving, RESOLVING_ADDRESS);
            case ROUTE_RESOLVED -> back(event, ROUTE_RESOLVED, RESOLVING_ROUTE);
            case ROUTE_ERROR -> back(event, ADDRESS_RESOLVED, RESOLVING_ROUTE);
            case CONNECT_RESPONSE -> onResponse(event.parameters());
            case ESTABLISHED -> onEstablished();
            case CONNECT_ERROR, UNREACHABLE, REJECTED -> onFailure(event);
            case DISCONNECTED -> {
                state.tryEnter(DISCONNECTING, () -> {}, ESTABLISHED, ACCEPTED);
                end();
            }
            case DEVICE_REMOVAL,
                    ADDRESS_CHANGE,
                    TIMEWAIT_EXIT,
                    MULTICAST_JOIN,
                    MULTICAST_ERROR,
                    UNRECOGNIZED ->
                    state.report(event.type(), event.status());
            case CONNECT_REQUEST -> throw new AssertionError("a request is the listener's");
        }
    }

    private void back(CmEvent event, ConnectionState next, ConnectionState expected) {
        state.tryEnter(next, () -> state.report(event.type(), event.status()), expected);
    }

    private void onAddressResolved(CmPath path) {
        follow(path);
        boolean isForeign =
                foreign(path, path.remote().map(Object::toString).orElse("the peer")).isPresent();
        ConnectionEventType type =
                isForeign
                        ? ConnectionEventType.ADDRESS_ERROR
                        : ConnectionEventType.ADDRESS_RESOLVED;
        state.tryEnter(
                isForeign ? FAILED : ADDRESS_RESOLVED,
                () -> state.report(type, isForeign ? -Errno.ENODEV : 0),
                RESOLVING_ADDRESS);
    }

    private void onResponse(ConnectionParameters answer) {
        if (state.tryEnter(ESTABLISHING, () -> {}, CONNECTING).isEmpty()) {
            return;
        }
        try {
            handle.bringUp(pair.get().orElseThrow(), offered);
            handle.establish();
        } catch (VerbsException | IllegalStateException e) {
            onUnusable(e);
            return;
        }
        Runnable inStep = () -> state.report(ConnectionEventType.ESTABLISHED, 0, answer);
        state.tryEnter(ESTABLISHED, inStep, ESTABLISHING);
    }

    /**
     * The peer has accepted, but the queue pair cannot be moved: the application has changed it.
     */
    private void onUnusable(RuntimeException cause) {
        trouble = Optional.of(cause.getMessage());
        int errno = cause instanceof VerbsException failure ? failure.errno() : Errno.EIO;
        failPair();
        attempt(() -> handle.reject(new byte[0]));
        Runnable inStep = () -> state.report(ConnectionEventType.CONNECT_ERROR, -errno);
        state.tryEnter(FAILED, inStep, ESTABLISHING);
    }

    private void onEstablished() {
        Runnable inStep = () -> state.report(ConnectionEventType.ESTABLISHED, 0);
        if (state.tryEnter(ESTABLISHED, inStep, ACCEPTED).isEmpty()
                && state.current() == DISCONNECTING) {
            // The application disconnected before there was a connection the kernel could end.
            attempt(handle::disconnect);
        }
    }

    private void onFailure(CmEvent event) {
        failPair();
        ConnectionParameters parameters =
                ConnectionParameters.ZERO.withPrivateData(event.parameters().privateData());
        Runnable inStep = () -> state.report(event.type(), event.status(), parameters);
        state.tryEnter(FAILED, inStep, CONNECTING, ESTABLISHING, REQUESTED, ACCEPTING, ACCEPTED);
        // A peer that closes at once rejects what this side considers established.
        state.tryEnter(DISCONNECTING, () -> {}, ESTABLISHED);
        end();
    }

    /** Disconnects; the state is already DISCONNECTING. */
    void disconnect() {
        failPair();
        attempt(handle::disconnect);
    }

    private void end() {
        if (state.current() == DISCONNECTING) {
            // If the peer asked, it waits for an answer.
            disconnect();
            Runnable inStep = () -> state.report(ConnectionEventType.DISCONNECTED, 0);
            state.tryEnter(DISCONNECTED, inStep, DISCONNECTING);
        }
    }

    /** Moves the queue pair to ERROR, which flushes what is posted. */
    void failPair() {
        pair.get()
                .ifPresent(
                        own ->
                                attempt(
                                        () ->
                                                own.modify(
                                                        QueuePairAttributes.to(
                                                                QueuePairState.ERROR))));
    }

    /** Takes a step if it is still possible: the peer or the queue pair may be gone. */
    private static void attempt(Runnable step) {
        try {
            step.run();
        } catch (VerbsException | IllegalStateException _) {
            // The peer has ended the connection, or the application has reset or closed the queue
            // pair.
        }
    }
}
