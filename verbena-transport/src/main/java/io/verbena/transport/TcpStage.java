// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.concurrent.Future;
import io.verbena.memory.BlockPool;
import io.verbena.memory.BlockPoolException;
import io.verbena.memory.IOBuf;
import io.verbena.memory.internal.OpaqueCounter;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Carries bytes over TCP. Nothing is copied on the way out; on the way in, only short reads are.
 *
 * <p>Writers queue their bytes; the event loop takes everything in the queue and flushes once.
 */
final class TcpStage implements Stage {
    /** Shorter reads are copied: otherwise each would keep one of Netty's receive buffers. */
    private static final int ZERO_COPY_MIN = 2048;

    private final SocketConnection connection;
    private final Channel channel;
    private final Queue<IOBuf> line = new ConcurrentLinkedQueue<>();
    private final AtomicLong unwritten = new AtomicLong();
    private final AtomicBoolean isScheduled = new AtomicBoolean();
    private final IOBuf received;
    private final OpaqueCounter sentBytes = new OpaqueCounter();
    private final OpaqueCounter receivedBytes = new OpaqueCounter();
    private volatile boolean isOver;

    /**
     * Writes made in a callback wait until it returns: their failure must not call back from inside
     * it.
     */
    private boolean isCalling;

    private boolean isClosing;
    private Optional<Future<?>> closeLimit = Optional.empty();

    /** Creates a stage that carries bytes at once. */
    TcpStage(SocketConnection connection) {
        this.connection = connection;
        this.channel = connection.channel();
        this.received = connection.pool().buffer();
    }

    /** Notifies the user, once, that bytes flow. Event loop. */
    void open() {
        isCalling = true;
        connection.tellOpen();
        onReadComplete();
    }

    @Override
    public void write(IOBuf data) {
        connection.checkRoom(unwritten.get());
        add(data);
    }

    @Override
    public void writeBeyondLimit(IOBuf data) {
        connection.checkRoom(unwritten.get() - TransportFlags.BEYOND_LIMIT_BYTES);
        add(data);
    }

    private void add(IOBuf data) {
        long size = data.size();
        if (size == 0) {
            return;
        }
        IOBuf taken = connection.pool().buffer();
        data.cutInto(taken, size);
        unwritten.addAndGet(size);
        line.add(taken);
        if (isOver) {
            // The end may have emptied the queue before this ran.
            discardLine();
        } else if (!connection.loop().inEventLoop()) {
            scheduleDrain();
        } else if (!isCalling) {
            drain();
        }
    }

    private void scheduleDrain() {
        if (!isScheduled.getAndSet(true)) {
            connection.executeOnLoop(
                    () -> {
                        // Before the queue is emptied: a later writer schedules again.
                        isScheduled.set(false);
                        drain();
                    });
        }
    }

    private void drain() {
        IOBuf buffer = line.poll();
        if (buffer == null) {
            return;
        }
        while (buffer != null) {
            give(buffer);
            buffer = line.poll();
        }
        channel.flush();
    }

    private void give(IOBuf buffer) {
        int last = buffer.pieces() - 1;
        for (int i = 0; i < last; i++) {
            // If one of these fails, the channel fails, and the last piece reports it.
            Future<?> _ = channel.write(view(buffer, i), channel.voidPromise());
        }
        channel.write(view(buffer, last)).addListener(written -> onWritten(buffer, written));
    }

    private static ByteBuf view(IOBuf buffer, int piece) {
        return Unpooled.wrappedBuffer(buffer.piece(piece).asByteBuffer());
    }

    private void onWritten(IOBuf buffer, Future<? super Void> written) {
        long size = buffer.size();
        buffer.close();
        long left = unwritten.addAndGet(-size);
        if (!written.isSuccess()) {
            end(SocketFailure.of("write", written.cause()));
            return;
        }
        sentBytes.add(size);
        if (isClosing && left == 0) {
            finishOutput();
        }
    }

    @Override
    public long unwrittenBytes() {
        return unwritten.get();
    }

    @Override
    public ConnectionStatistics statistics() {
        return ConnectionStatistics.withoutWindows(
                HandshakeState.UNINIT,
                RdmaState.RDMA_OFF,
                sentBytes.value(),
                receivedBytes.value(),
                unwritten.get());
    }

    @Override
    public void close() {
        connection.executeOnLoop(this::beginClose);
    }

    private void beginClose() {
        if (isOver || isClosing) {
            return;
        }
        isClosing = true;
        long limitMs = connection.flags().number(TransportFlag.SOCKET_CLOSE_TIMEOUT_MS);
        closeLimit =
                Optional.of(
                        connection
                                .loop()
                                .schedule(this::endClosed, limitMs, TimeUnit.MILLISECONDS));
        drain();
        if (unwritten.get() == 0) {
            finishOutput();
        }
    }

    /**
     * Closing at once would reset the connection if the peer has written something that is still
     * unread, and the reset would discard this side's last bytes. So the peer closes first; by then
     * it has read everything.
     */
    private void finishOutput() {
        if (channel instanceof DuplexChannel duplex && duplex.isActive()) {
            // If it fails, the channel closes, which ends this as well.
            Future<?> _ = duplex.shutdownOutput();
        } else {
            endClosed();
        }
    }

    private void endClosed() {
        end(new TransportException(TransportError.ECLOSE, "closed by this side"));
    }

    @Override
    public void abort(TransportException reason) {
        connection.executeOnLoop(() -> end(reason));
    }

    @Override
    public void onRead(ByteBuf bytes) {
        int count = bytes.readableBytes();
        if (isOver || isClosing || count == 0) {
            bytes.release();
            return;
        }
        isCalling = true;
        receivedBytes.add(count);
        keep(bytes, count);
        connection.tellData(received);
    }

    private void keep(ByteBuf bytes, int count) {
        if (count < ZERO_COPY_MIN && copied(bytes)) {
            bytes.release();
        } else {
            received.appendUserData(
                    MemorySegment.ofBuffer(bytes.nioBuffer()),
                    // it may be passed on over RDMA, for example by a proxy
                    BlockPool.COPIED_WHEN_SENT,
                    bytes::release);
        }
    }

    /** Reading goes on when the pool is empty: the bytes can stay where they are. */
    private boolean copied(ByteBuf bytes) {
        try {
            received.append(bytes.nioBuffer());
            return true;
        } catch (BlockPoolException e) {
            return false;
        }
    }

    @Override
    public void onReadComplete() {
        isCalling = false;
        drain();
    }

    @Override
    public void onEnd(TransportException reason) {
        if (isClosing) {
            endClosed();
        } else {
            end(reason);
        }
    }

    private void end(TransportException reason) {
        if (isOver) {
            return;
        }
        isOver = true;
        closeLimit.ifPresent(timer -> timer.cancel(false));
        connection.finish(reason);
        received.close();
        discardLine();
    }

    private void discardLine() {
        IOBuf buffer = line.poll();
        while (buffer != null) {
            unwritten.addAndGet(-buffer.size());
            buffer.close();
            buffer = line.poll();
        }
    }
}
