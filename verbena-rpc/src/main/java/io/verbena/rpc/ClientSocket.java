// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.completion.Faults;
import io.verbena.memory.IOBuf;
import io.verbena.rpc.wire.FrameCutter;
import io.verbena.rpc.wire.RpcMeta;
import io.verbena.transport.Connection;
import io.verbena.transport.ConnectionHandler;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import java.util.concurrent.CompletableFuture;

/**
 * A connection to a server: requests go out from any thread, answers come in on the connection's
 * thread and go to the {@link CallEngine}.
 */
final class ClientSocket implements ConnectionHandler, ConnectionStreams.Wire {
    private static final TryFailure NOT_ACCEPTED =
            TryFailure.of(RpcError.EREQUEST, "the server did not accept the stream");

    private final CallEngine engine;
    private final RemoteServer owner;
    private final CorkedWriter writer;
    private final FrameCutter cutter = new FrameCutter();
    private final ResponseFrame answer;
    private final ConnectionStreams streams;
    private volatile Connection connection;
    private final CompletableFuture<Void> opening = new CompletableFuture<>();
    private volatile long openedNs;
    private volatile boolean isOpen;
    private volatile boolean isClosed;
    private volatile boolean isAuthenticated;

    /** What its end means for tries on it; NONE before. */
    private volatile TryFailure loss = TryFailure.NONE;

    /** The connection's thread. */
    private long receivedNs;

    ClientSocket(CallEngine engine, RemoteServer owner) {
        this.engine = engine;
        this.owner = owner;
        this.writer = new CorkedWriter(engine.pool().buffer(), Connection::write, this::onLost);
        this.answer = new ResponseFrame(engine.builders());
        this.streams = new ConnectionStreams(this, engine.streamContext());
        this.isAuthenticated = owner.auth().isEmpty();
    }

    /** Gives it its connection, once, before it is used. */
    void attach(Connection made) {
        connection = made;
    }

    RemoteServer owner() {
        return owner;
    }

    @Override
    public Connection connection() {
        return connection;
    }

    ConnectionStreams streams() {
        return streams;
    }

    @Override
    public void writeStream(IOBuf frame) {
        // never collected: what other threads write next must not overtake it
        connection.writeSoon(frame);
    }

    @Override
    public void onResponse(IOBuf response) {
        if (cutter.next(response, engine.maxBodyBytes()) == FrameCutter.Result.READY) {
            isAuthenticated = true;
            engine.onAnswer(this, cutter, response, answer);
        } else {
            breach(connection, response, "a stream that does not begin with a response");
        }
        response.clear();
    }

    /**
     * A call is answered: connects its streams, if it has any. Never throws: the call is about to
     * end, and nobody else would end it.
     */
    void connectStreams(RpcMeta meta, ClientController controller) {
        try {
            if (controller.streams() == null) {
                refuseStreams(meta);
            } else if (!controller.failed() && !controller.streams().tryConnect(meta, streams)) {
                fail(controller, NOT_ACCEPTED);
            }
        } catch (Throwable e) {
            fail(
                    controller,
                    TryFailure.of(RpcError.EINTERNAL, "the streams cannot be connected", e));
        }
    }

    private static void fail(ClientController controller, TryFailure failure) {
        controller.outcome(failure.code(), failure.text());
    }

    /** A call is gone, or never asked for streams. */
    void refuseStreams(RpcMeta meta) {
        if (meta.streamSettings().isPresent()) {
            RequestStreams.refuse(meta, streams);
        }
    }

    boolean isUsable() {
        return !isClosed;
    }

    boolean hasEnded() {
        return !loss.isNone();
    }

    /** {@return why the tries on it have failed, once it has ended} */
    TryFailure loss() {
        return loss;
    }

    /** {@return completes when it is open, or cannot be opened} */
    CompletableFuture<Void> opening() {
        return opening;
    }

    /** {@return when it was opened, in terms of {@link System#nanoTime}} */
    long openedNs() {
        return openedNs;
    }

    /**
     * {@return when the answers that are being taken arrived, in terms of {@link System#nanoTime}}
     * Read once for all of them. The connection's thread.
     */
    long receivedNs() {
        return receivedNs;
    }

    /** {@return whether it was ever open} */
    boolean isOpen() {
        return isOpen;
    }

    /**
     * {@return the credential that requests carry until the server has answered one, then null} On
     * the path of every call, so no Optional. Runs user code.
     */
    byte[] credentials() {
        return isAuthenticated ? null : owner.auth().orElseThrow().generateCredential();
    }

    /**
     * Writes a frame.
     *
     * @param builder has built the frame
     * @param id of the try
     * @param isAwaited whether a thread is about to wait for the answer
     * @throws TransportException if it cannot be written
     */
    void write(FrameBuilder builder, long id, boolean isAwaited) {
        try {
            writer.write(connection, builder, id, isAwaited);
        } catch (TransportException e) {
            // known here before onClose is called: the next try must not go there again
            owner.onFailure(this, e);
            throw e;
        }
    }

    private void onLost(long id, TransportException reason) {
        engine.onTryFailed(id, TryFailure.of(reason));
    }

    @Override
    public void onOpen(Connection opened) {
        openedNs = System.nanoTime();
        isOpen = true;
        opening.complete(null);
    }

    @Override
    public void onData(Connection from, IOBuf received) {
        receivedNs = System.nanoTime();
        writer.cork();
        try {
            while (cutNext(from, received)) {
                // one frame after the other
            }
        } finally {
            writer.uncork(from);
        }
    }

    private boolean cutNext(Connection from, IOBuf received) {
        if (streams.skips(received)) {
            return false;
        }
        return switch (cutter.next(received, engine.maxBodyBytes())) {
            case READY -> {
                if (!isAuthenticated) {
                    isAuthenticated = true;
                }
                engine.onAnswer(this, cutter, received, answer);
                yield true;
            }
            case NEED_MORE -> false;
            case NOT_MINE -> cutStream(from, received);
            case TOO_LARGE -> {
                cutter.skipAsItArrives(received);
                engine.onTooLarge(this, cutter);
                yield true;
            }
            case BROKEN -> breach(from, received, "a broken response");
        };
    }

    private boolean cutStream(Connection from, IOBuf received) {
        return switch (streams.consume(received)) {
            case READY -> !received.isEmpty();
            case NEED_MORE -> false;
            default -> breach(from, received, "bytes that are not a baidu_std response");
        };
    }

    private boolean breach(Connection from, IOBuf received, String what) {
        received.clear();
        from.abort(
                new TransportException(
                        TransportError.EPROTO,
                        what + " from " + from.remoteAddress() + " (expected: baidu_std)"));
        return false;
    }

    @Override
    public void onClose(Connection ended, TransportException reason) {
        loss = TryFailure.of(reason);
        isClosed = true;
        tellOwner(reason);
        endOpening(reason);
        streams.onClose(reason);
        engine.onClose(this);
    }

    /** Never throws: calls and streams must hear of the end. */
    private void tellOwner(TransportException reason) {
        try {
            owner.onClose(this, reason);
        } catch (Throwable e) {
            Faults.warn(ClientSocket.class, "its server is not told of its end", this, e);
        }
    }

    /** Never throws, as above. */
    private void endOpening(TransportException reason) {
        try {
            opening.completeExceptionally(new RpcException(reason.code(), reason.detail()));
        } catch (Throwable e) {
            Faults.warn(ClientSocket.class, "who waits for it is not told of its end", this, e);
        }
    }

    /** Closes it once everything written has been sent. */
    void close() {
        isClosed = true;
        Connection current = connection;
        if (current != null) {
            current.close();
        }
    }

    @Override
    public String toString() {
        return "client socket over " + connection;
    }
}
