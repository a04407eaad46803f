// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.util.concurrent.Future;
import io.verbena.memory.IOBuf;
import io.verbena.transport.handshake.Handshake;
import io.verbena.transport.rdma.DeviceFailure;
import io.verbena.transport.rdma.RdmaEndpoint;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * The time between connecting TCP and agreeing on a carrier: runs a {@link Handshake}, enforces its
 * time limit, and holds what is written meanwhile.
 *
 * <p>Everything but the backlog belongs to the event loop.
 */
final class HandshakeStage implements Stage, Handshake.Host {
    private final SocketConnection connection;
    private final Handshake handshake;
    private final WriteBacklog backlog;
    private final HandshakeTrace trace;
    private Optional<Future<?>> deadline = Optional.empty();
    private ByteBuf unread = Unpooled.EMPTY_BUFFER;
    private Optional<Runnable> next = Optional.empty();

    /** What the next stage will carry bytes over, until it does; or null. */
    private RdmaEndpoint agreedOn;

    private boolean isReceiving;
    private boolean isMoved;
    private boolean isBusy;
    private boolean isOver;

    /**
     * Creates a stage that waits for TCP.
     *
     * @param connection whose
     * @param strategy makes the handshake for its host
     */
    HandshakeStage(SocketConnection connection, Function<Handshake.Host, Handshake> strategy) {
        this.connection = connection;
        this.handshake = strategy.apply(this);
        this.backlog = new WriteBacklog(connection);
        this.trace = new HandshakeTrace(connection, handshake);
    }

    Handshake handshake() {
        return handshake;
    }

    /** TCP is connected. */
    void onConnected(boolean isClient) {
        if (isClient) {
            startDeadline();
        }
        trace.step("TCP is connected");
        guarded(handshake::begin);
    }

    @Override
    public void write(IOBuf data) {
        backlog.write(data);
    }

    @Override
    public long unwrittenBytes() {
        return backlog.bytes();
    }

    @Override
    public ConnectionStatistics statistics() {
        return ConnectionStatistics.withoutWindows(
                handshake.state(), handshake.rdmaState(), 0, 0, backlog.bytes());
    }

    @Override
    public void close() {
        TransportException reason =
                new TransportException(TransportError.ECLOSE, "closed by this side");
        connection.runOnLoop(
                () -> {
                    // What was written waits for a carrier, at most as long as the handshake may
                    // take.
                    if (isOver) {
                        successor().ifPresent(Stage::close);
                    } else if (backlog.bytes() == 0) {
                        end(reason);
                    } else {
                        connection.closeLater();
                    }
                });
    }

    @Override
    public void abort(TransportException reason) {
        connection.runOnLoop(
                () -> {
                    if (isOver) {
                        successor().ifPresent(stage -> stage.abort(reason));
                    } else {
                        end(reason);
                    }
                });
    }

    /** {@return the stage after this one, for calls that came too late for this one} */
    private Optional<Stage> successor() {
        return Optional.of(connection.stage()).filter(stage -> stage != this);
    }

    @Override
    public void onRead(ByteBuf bytes) {
        if (isOver) {
            // TLS hands out what it has decrypted even after the connection was cut
            bytes.release();
            return;
        }
        trace.step("received", bytes.readableBytes());
        if (deadline.isEmpty() && bytes.isReadable()) {
            startDeadline();
        }
        keep(bytes);
        advance();
    }

    @Override
    public void onReadComplete() {}

    @Override
    public void onEnd(TransportException reason) {
        end(reason);
    }

    @Override
    public void send(byte[] bytes, Runnable then) {
        trace.step("sends", bytes.length);
        Channel channel = connection.channel();
        channel.writeAndFlush(Unpooled.wrappedBuffer(bytes))
                .addListener(
                        written -> {
                            if (isOver) {
                                return;
                            }
                            if (written.isSuccess()) {
                                guarded(then);
                                isMoved = true;
                                advance();
                            } else {
                                end(SocketFailure.of("handshake", written.cause()));
                            }
                        });
    }

    @Override
    public <T> void offload(Handshake.Work<T> work, Handshake.Outcome<T> then) {
        trace.step("works on its queue pair");
        isBusy = true;
        connection.channel().config().setAutoRead(false);
        try {
            connection.verbs().execute(() -> run(work, then));
        } catch (RejectedExecutionException e) {
            back(
                    () ->
                            then.failed(
                                    new TransportException(
                                            TransportError.ECLOSE, "the transport is closed", e)));
        }
    }

    private <T> void run(Handshake.Work<T> work, Handshake.Outcome<T> then) {
        try {
            T result = work.run();
            backWith(result, then);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            back(
                    () ->
                            then.failed(
                                    new TransportException(
                                            TransportError.ECLOSE, "the transport is closed", e)));
        } catch (Throwable e) { // the handshake would wait for its time limit, and not say why
            back(() -> then.failed(DeviceFailure.of("handshake", e)));
        }
    }

    private <T> void backWith(T result, Handshake.Outcome<T> then) {
        try {
            back(() -> then.done(result));
        } catch (Throwable e) {
            // nobody but this thread knows of it
            if (result instanceof RdmaEndpoint made) {
                made.abort(DeviceFailure.abandoned());
            }
            throw e;
        }
    }

    /** Continues on the event loop, or right here if that has ended: results must not be lost. */
    private void back(Runnable continuation) {
        try {
            connection.loop().execute(() -> resume(continuation));
        } catch (RejectedExecutionException e) {
            isOver = true;
            continuation.run();
        }
    }

    private void resume(Runnable continuation) {
        trace.step("is done with its queue pair");
        isBusy = false;
        // Do this first: the continuation may move on to the next stage, which reads, or offload
        // again.
        connection.channel().config().setAutoRead(true);
        guarded(continuation);
        isMoved = true;
        advance();
    }

    /** Like {@link #back}, but while no work is running on another thread. */
    @Override
    public void execute(Runnable task) {
        try {
            connection.loop().execute(() -> guarded(task));
        } catch (RejectedExecutionException e) {
            isOver = true;
            task.run();
        }
    }

    private void guarded(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) { // the handshake would wait for its time limit, and not say why
            end(DeviceFailure.of("handshake", e));
        }
    }

    @Override
    public boolean isOver() {
        return isOver;
    }

    @Override
    public boolean tryTakeQueuePair() {
        return connection.tryTakeQueuePair();
    }

    @Override
    public void warnOfTcp(String reason) {
        trace.step("falls back to TCP: " + reason);
        connection.warnOfTcp(reason);
    }

    @Override
    public void openTcp() {
        next = Optional.of(this::moveToTcp);
        advance();
    }

    @Override
    public void openRdma(RdmaEndpoint endpoint) {
        try {
            next = Optional.of(() -> moveToRdma(endpoint));
        } catch (Throwable e) { // nobody else has it
            endpoint.abort(DeviceFailure.abandoned());
            throw e;
        }
        agreedOn = endpoint;
        advance();
    }

    /** Feeds the handshake as long as it takes bytes, then moves on if it has decided. */
    private void advance() {
        if (isReceiving) {
            return;
        }
        isReceiving = true;
        try {
            isMoved = true;
            while (isMoved && unread.isReadable() && !isBusy && !isOver && next.isEmpty()) {
                isMoved = false;
                ByteBuffer in = unread.nioBuffer();
                handshake.receive(in);
                if (!isOver) {
                    unread.skipBytes(in.position());
                }
            }
        } catch (Throwable e) { // the handshake would wait for its time limit, and not say why
            end(DeviceFailure.of("handshake", e));
        } finally {
            isReceiving = false;
        }
        if (!isOver && next.isPresent()) {
            isOver = true;
            moveOn(next.get());
        }
    }

    private void moveOn(Runnable move) {
        // not in the catch clause: the first use of a text takes memory, and so would lambdas
        String what = "handshake";
        try {
            cancelDeadline();
            trace.end("agreed");
            move.run();
        } catch (Throwable e) { // nobody else would end it
            TransportException reason = DeviceFailure.of(what, e);
            Stage now = connection.stage();
            if (now.equals(this)) {
                finish(reason);
            } else {
                now.onEnd(reason);
            }
        }
    }

    private void moveToTcp() {
        connection.returnQueuePair();
        TcpStage tcp = new TcpStage(connection);
        // The order matters: nobody may write to the new stage before the bytes that have waited.
        backlog.drainTo(tcp);
        connection.become(tcp);
        tcp.open();
        ByteBuf rest = takeUnread();
        if (rest.isReadable()) {
            tcp.onRead(rest);
            tcp.onReadComplete();
        } else {
            rest.release();
        }
        connection.closeIfAsked();
    }

    private void moveToRdma(RdmaEndpoint endpoint) {
        RdmaStage rdma = new RdmaStage(connection, endpoint);
        try {
            backlog.drainTo(rdma);
        } catch (TransportException e) {
            rdma.abort(e);
        }
        connection.become(rdma);
        agreedOn = null;
        // Do this last: it calls the user, who must see all of this done.
        rdma.open();
        rdma.onRead(takeUnread());
        connection.closeIfAsked();
    }

    private void end(TransportException reason) {
        if (isOver) {
            return;
        }
        isOver = true;
        try {
            // first: it may hold a queue pair
            handshake.fail(reason);
            trace.end(reason.getMessage());
            takeUnread().release();
        } finally {
            finish(reason);
        }
    }

    /** Each step whatever has become of those before: nobody comes back for them. */
    private void finish(TransportException reason) {
        try {
            giveUpAgreedOn();
            cancelDeadline();
        } finally {
            try {
                // The order matters: once it is finished, nobody adds to the backlog.
                connection.finish(reason);
            } finally {
                backlog.discard();
            }
        }
    }

    private void giveUpAgreedOn() {
        RdmaEndpoint endpoint = agreedOn;
        if (endpoint != null) {
            agreedOn = null;
            endpoint.abort(DeviceFailure.abandoned());
        }
    }

    private void startDeadline() {
        long limitMs = connection.flags().number(TransportFlag.RDMA_HANDSHAKE_TIMEOUT_MS);
        deadline =
                Optional.of(
                        connection
                                .loop()
                                .schedule(
                                        () -> onDeadline(limitMs), limitMs, TimeUnit.MILLISECONDS));
    }

    private void onDeadline(long limitMs) {
        end(
                SocketFailure.of(
                        TransportError.ERPCTIMEDOUT,
                        "handshake: "
                                + handshake.state()
                                + " after "
                                + limitMs
                                + " ms (expected: to be over; see rdma_handshake_timeout_ms)"));
    }

    private void cancelDeadline() {
        deadline.ifPresent(timer -> timer.cancel(false));
    }

    private void keep(ByteBuf bytes) {
        if (!unread.isReadable()) {
            unread.release();
            unread = bytes;
            return;
        }
        ByteBuf joined = bytes.alloc().directBuffer(unread.readableBytes() + bytes.readableBytes());
        joined.writeBytes(unread).writeBytes(bytes);
        unread.release();
        bytes.release();
        unread = joined;
    }

    private ByteBuf takeUnread() {
        ByteBuf taken = unread;
        unread = Unpooled.EMPTY_BUFFER;
        return taken;
    }
}
