// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft.cm;

import static io.verbena.verbs.spi.ConnectionState.ACCEPTED;
import static io.verbena.verbs.spi.ConnectionState.ACCEPTING;
import static io.verbena.verbs.spi.ConnectionState.CLOSED;
import static io.verbena.verbs.spi.ConnectionState.CONNECTING;
import static io.verbena.verbs.spi.ConnectionState.DISCONNECTED;
import static io.verbena.verbs.spi.ConnectionState.DISCONNECTING;
import static io.verbena.verbs.spi.ConnectionState.ESTABLISHED;
import static io.verbena.verbs.spi.ConnectionState.ESTABLISHING;
import static io.verbena.verbs.spi.ConnectionState.FAILED;
import static io.verbena.verbs.spi.ConnectionState.REQUESTED;

import io.verbena.verbs.ConnectionEventType;
import io.verbena.verbs.ConnectionParameters;
import io.verbena.verbs.Errno;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.soft.cm.CmMessage.DisconnectReply;
import io.verbena.verbs.soft.cm.CmMessage.DisconnectRequest;
import io.verbena.verbs.soft.cm.CmMessage.Offer;
import io.verbena.verbs.soft.cm.CmMessage.ReadyToUse;
import io.verbena.verbs.soft.cm.CmMessage.Reject;
import io.verbena.verbs.soft.cm.CmMessage.Reply;
import io.verbena.verbs.soft.cm.CmMessage.Request;
import io.verbena.verbs.spi.ConnectionState;
import io.verbena.verbs.spi.IdentifierState;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * One side of a connection while its socket is open. It reads the peer's messages, on one worker at
 * a time, and turns them into state changes of the identifier and its queue pair, and into events.
 * The queue pair is moved with no lock held, because that may take a while; it always fails before
 * the event that reports the failure.
 */
final class CmConnection {
    private final IdentifierState state;
    private final Supplier<Optional<QueuePair>> pair;
    private final ConnectionManager manager;
    private final CmSocket socket;
    private final Request request;
    // Two separate deadlines: a connection may be ended while its RTU is still awaited.
    private volatile Optional<CmDeadline> readyToUse = Optional.empty();
    private volatile Optional<CmDeadline> disconnectReply = Optional.empty();

    /**
     * One side of a connection.
     *
     * @param state the identifier's state
     * @param pair the identifier's queue pair
     * @param manager the connection manager
     * @param socket the socket to the peer
     * @param request what the active side sent
     */
    CmConnection(
            IdentifierState state,
            Supplier<Optional<QueuePair>> pair,
            ConnectionManager manager,
            CmSocket socket,
            Request request) {
        this.state = state;
        this.pair = pair;
        this.manager = manager;
        this.socket = socket;
        this.request = request;
    }

    /**
     * Reads what has arrived, and the rest when it arrives, until the connection has ended; the
     * only reader.
     */
    void readAll() {
        int errno = Errno.ECONNRESET;
        try {
            boolean more = true;
            while (more) {
                Optional<CmMessage> message = socket.read();
                if (message.isEmpty() && !socket.isEnded()) {
                    socket.awaitReadable(this::readAll);
                    return;
                }
                more = message.isPresent() && onMessage(message.get());
            }
        } catch (CmProtocolException _) {
            errno = Errno.EIO;
        } catch (IOException _) {
            // The peer died with a message half written, or this side closed: treated as a normal
            // end.
            errno = Errno.ECONNRESET;
        } catch (Throwable e) {
            // Whatever it was, the application must learn that this connection has ended.
            CmThreads.log(e);
            errno = Errno.EIO;
        }
        onEnd(errno);
    }

    /**
     * Active: connects to the peer, sends the request, and reads until the connection has ended.
     */
    void call() {
        if (request.destination().getPort() == 0) {
            onEnd(Errno.ECONNREFUSED);
            return;
        }
        try {
            socket.connect(listenerSocket());
            socket.queue(request);
            socket.flush();
        } catch (IOException e) {
            onEnd(e instanceof ConnectException ? Errno.ECONNREFUSED : Errno.EHOSTUNREACH);
            return;
        } catch (Throwable e) {
            CmThreads.log(e);
            onEnd(Errno.EIO);
            return;
        }
        readAll();
    }

    /** Passive: moves the queue pair, then replies to the peer. */
    void accept(QueuePair accepting, Reply reply) {
        ConnectionPath path =
                new ConnectionPath(
                        reply.endpoint(),
                        reply.offer(),
                        request.endpoint(),
                        request.offer(),
                        request.offer().retry(),
                        request.mtu());
        try {
            path.bringUp(accepting);
        } catch (Throwable e) {
            if (state.tryEnter(REQUESTED, () -> {}, ACCEPTING).isPresent()) {
                throw e;
            }
            // The peer went away in the meantime, which is why the queue pair failed; an event
            // reports it.
        }
        Runnable answer = () -> socket.queue(reply);
        if (state.tryEnter(ACCEPTED, answer, ACCEPTING).isPresent()) {
            Duration patience = manager.timeouts().readyToUse();
            readyToUse = Optional.of(manager.threads().after(patience, this::onNotReady));
            socket.flush();
        } else if (state.current() == CLOSED) {
            throw IdentifierState.closed();
        }
    }

    /** Refuses and ends. */
    void refuse(Reject reject) {
        socket.finish(reject);
    }

    /** Ends a connection that is already in state DISCONNECTING. */
    void disconnect() {
        failPair();
        socket.queue(new DisconnectRequest());
        // A stopped peer does not answer; the end of the stream then stands for its answer.
        Duration patience = manager.timeouts().disconnectReply();
        disconnectReply = Optional.of(manager.threads().after(patience, socket::close));
        socket.flush();
    }

    /** Ends without events; the identifier is closed and was in the given state before. */
    void abandon(ConnectionState last) {
        cancelDeadlines();
        switch (last) {
            case REQUESTED, ACCEPTING -> CmPort.refuse(socket, CmRejectReason.CONSUMER);
            case ACCEPTED, ESTABLISHED -> {
                failPair();
                socket.finish(new DisconnectRequest());
            }
            default -> {
                socket.flush();
                socket.close();
            }
        }
    }

    private boolean onMessage(CmMessage message) throws CmProtocolException {
        switch (message) {
            case Reply reply -> onReply(reply);
            case ReadyToUse _ -> onReadyToUse();
            case Reject reject -> onReject(reject);
            case DisconnectRequest _ -> onDisconnect(true);
            case DisconnectReply _ -> onDisconnect(false);
            case Request _ -> throw unexpected(message);
        }
        return state.current() != FAILED && state.current() != DISCONNECTED;
    }

    private void onReply(Reply reply) throws CmProtocolException {
        if (state.tryEnter(ESTABLISHING, () -> {}, CONNECTING).isEmpty()) {
            throw unexpected(reply);
        }
        Offer offer = request.offer();
        ConnectionPath path =
                new ConnectionPath(
                        request.endpoint(),
                        offer,
                        reply.endpoint(),
                        reply.offer(),
                        offer.retry(),
                        request.mtu());
        try {
            path.bringUp(pair.get().orElseThrow());
        } catch (Throwable e) {
            int errno = e instanceof VerbsException failure ? failure.errno() : Errno.EIO;
            socket.queue(new Reject(CmRejectReason.CONSUMER, PrivateData.NONE));
            socket.flush();
            fail(ConnectionEventType.CONNECT_ERROR, -errno, ESTABLISHING);
            return;
        }
        ConnectionParameters answer =
                ConnectionPath.seenFromHere(reply.offer(), reply.privateData());
        Runnable inStep =
                () -> {
                    socket.queue(new ReadyToUse());
                    state.report(ConnectionEventType.ESTABLISHED, 0, answer);
                };
        if (state.tryEnter(ESTABLISHED, inStep, ESTABLISHING).isPresent()) {
            socket.flush();
        }
    }

    private void onReadyToUse() throws CmProtocolException {
        Runnable inStep = () -> state.report(ConnectionEventType.ESTABLISHED, 0);
        if (state.tryEnter(ESTABLISHED, inStep, ACCEPTED).isPresent()) {
            readyToUse.ifPresent(CmDeadline::cancel);
        } else if (state.current() != DISCONNECTING) {
            throw unexpected(new ReadyToUse());
        }
    }

    private void onReject(Reject reject) throws CmProtocolException {
        if (state.tryEnter(FAILED, () -> {}, CONNECTING, ACCEPTED).isEmpty()) {
            throw unexpected(reject);
        }
        failPair();
        ConnectionParameters parameters =
                ConnectionParameters.ZERO.withPrivateData(reject.privateData().bytes());
        state.report(ConnectionEventType.REJECTED, reject.reason(), parameters);
    }

    private void onDisconnect(boolean answer) throws CmProtocolException {
        state.tryEnter(DISCONNECTING, () -> {}, ESTABLISHED, ACCEPTED);
        if (state.current() != DISCONNECTING) {
            throw unexpected(answer ? new DisconnectRequest() : new DisconnectReply());
        }
        if (answer) {
            socket.queue(new DisconnectReply());
        }
        end();
        socket.flush();
    }

    private void onNotReady() {
        if (fail(ConnectionEventType.CONNECT_ERROR, -Errno.ETIMEDOUT, ACCEPTED)) {
            socket.close();
        }
    }

    private void onEnd(int errno) {
        socket.close();
        cancelDeadlines();
        // In this order: ACCEPTED may become DISCONNECTING in between, but not the reverse.
        Optional<ConnectionState> unfinished =
                state.tryEnter(
                        FAILED, () -> {}, CONNECTING, ESTABLISHING, REQUESTED, ACCEPTING, ACCEPTED);
        unfinished.ifPresent(last -> reportUnfinished(last, errno));
        state.tryEnter(DISCONNECTING, () -> {}, ESTABLISHED);
        end();
    }

    private void end() {
        if (state.current() == DISCONNECTING) {
            failPair();
            Runnable inStep = () -> state.report(ConnectionEventType.DISCONNECTED, 0);
            state.tryEnter(DISCONNECTED, inStep, DISCONNECTING);
        }
    }

    private void reportUnfinished(ConnectionState last, int errno) {
        switch (last) {
            // What librdmacm reports when the active side gave up before it was answered.
            case REQUESTED -> reportFailure(ConnectionEventType.REJECTED, CmRejectReason.TIMEOUT);
            case CONNECTING -> reportUnanswered(errno);
            default -> reportFailure(ConnectionEventType.CONNECT_ERROR, -errno);
        }
    }

    private void reportUnanswered(int errno) {
        if (errno == Errno.EIO) {
            reportFailure(ConnectionEventType.CONNECT_ERROR, -errno);
        } else if (errno == Errno.ECONNREFUSED || Files.notExists(listenerSocket())) {
            // A listener that closes removes its socket first; a killed one leaves it behind.
            reportFailure(ConnectionEventType.REJECTED, CmRejectReason.INVALID_SERVICE);
        } else {
            reportFailure(ConnectionEventType.UNREACHABLE, -errno);
        }
    }

    private Path listenerSocket() {
        return manager.folder().socket(request.destination().getPort());
    }

    private boolean fail(ConnectionEventType type, int status, ConnectionState expected) {
        boolean failed = state.tryEnter(FAILED, () -> {}, expected).isPresent();
        if (failed) {
            reportFailure(type, status);
        }
        return failed;
    }

    private void reportFailure(ConnectionEventType type, int status) {
        failPair();
        state.report(type, status);
    }

    private void failPair() {
        pair.get().ifPresent(ConnectionPath::fail);
    }

    private void cancelDeadlines() {
        readyToUse.ifPresent(CmDeadline::cancel);
        disconnectReply.ifPresent(CmDeadline::cancel);
    }

    private CmProtocolException unexpected(CmMessage message) {
        return new CmProtocolException(
                message.getClass().getSimpleName() + " in state " + state.current());
    }
}
