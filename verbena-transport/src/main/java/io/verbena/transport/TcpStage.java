// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import io.verbena.memory.BlockPool;
import io.verbena.memory.BlockPoolException;
import io.verbena.memory.IOBuf;
import io.verbena.memory.internal.OpaqueCounter;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Carries bytes over TCP. Nothing is copied on the way out; on the way in, only short reads are.
 *
 * <p>Writers queue their bytes; the event loop takes everything in the queue and flushes. What
 * callbacks write is flushed in parts, each larger than the one before, and at the end.
 */
final class TcpStage implements Stage {
    /** Shorter reads are copied: otherwise each would keep one of Netty's receive buffers. */
    private static final int ZERO_COPY_MIN = 2048;

    /**
     * How many bytes callbacks write before they are flushed for the first time. If all answers to
     * what was read left together, this side would rest while the peer works, and the other way
     * round: with 64 small calls at a time, this has twice the rate.
     */
    private static final int FIRST_FLUSH = 2048;

    /** Each flush in the same round has twice the size of the one before: long rounds need few. */
    private static final int MOST_FLUSH = 64 * 1024;

    private final SocketConnection connection;
    private final Channel channel;
    private final boolean isTls;
    private final Queue<IOBuf> line = new ConcurrentLinkedQueue<>();
    private final AtomicLong unwritten = new AtomicLong();
    private final AtomicBoolean isScheduled = new AtomicBoolean();
    private final IOBuf received;
    private final OpaqueCounter sentBytes = new OpaqueCounter();
    private final OpaqueCounter receivedBytes = new OpaqueCounter();
    private volatile boolean isOver;

    /** Whether a callback may be under way. Failures of its own writes must not call back. */
    private boolean isCalling;

    /** Bytes that callbacks have written since the last flush. */
    private long waiting;

    private int nextFlush = FIRST_FLUSH;

    /** Why bytes are missing on the wire, so that no others may follow; null if none are. */
    private TransportException fault;

    /** What could not be given to the channel, which may still use its memory; or null. */
    private IOBuf halfGiven;

    /** Why another thread wants it to end, until it has; or null. */
    private volatile TransportException abortion;

    /** Made now: there may be no memory when it is due. */
    private final Runnable endAborted = this::endAborted;

    private boolean isClosing;
    private Optional<Future<?>> closeLimit = Optional.empty();

    /** Creates a stage that carries bytes at once. */
    TcpStage(SocketConnection connection) {
        this.connection = connection;
        this.channel = connection.channel();
        this.isTls = connection.tls().isPresent();
        this.received = connection.pool().buffer();
    }

    /** Notifies the user, once, that bytes flow. Event loop. */
    void open() {
        if (isOver) {
            // what had waited could not be written, and the user has been told of the end
            return;
        }
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
        } else if (!isCalling || isFlushDue(size)) {
            drain();
        }
    }

    /** {@return whether what callbacks have written is to leave before they return} */
    private boolean isFlushDue(long size) {
        waiting += size;
        if (waiting < nextFlush) {
            return false;
        }
        waiting = 0;
        nextFlush = Math.min(2 * nextFlush, MOST_FLUSH);
        return true;
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
        boolean hasGiven = false;
        while (fault == null) {
            IOBuf buffer = line.poll();
            if (buffer == null) {
                break;
            }
            give(buffer);
            hasGiven = true;
        }
        if (hasGiven && fault == null) {
            channel.flush();
        }
    }

    /** All of it or nothing: the peer could not make sense of what comes after a part. */
    private void give(IOBuf buffer) {
        try {
            if (buffer.pieces() == 1 || isTls && buffer.size() <= Integer.MAX_VALUE) {
                channel.write(whole(buffer)).addListener(written -> onWritten(buffer, written));
            } else {
                giveParts(buffer);
            }
        } catch (Throwable e) { // no memory for it, for example
            halfGiven = buffer;
            breakOff(SocketFailure.internal("the bytes cannot be written", e));
        }
    }

    /** One by one, for which a buffer of Netty's need not hold all bytes. */
    private void giveParts(IOBuf buffer) {
        ByteBuf[] parts = new ByteBuf[buffer.pieces()];
        for (int i = 0; i < parts.length; i++) {
            parts[i] = view(buffer, i);
        }
        int last = parts.length - 1;
        for (int i = 0; i < last; i++) {
            // If one of these fails, the channel fails, and the last part reports it.
            Future<?> _ = channel.write(parts[i], channel.voidPromise());
        }
        channel.write(parts[last]).addListener(written -> onWritten(buffer, written));
    }

    /**
     * Ends the connection, but not inside a callback of its own: then when that has returned. Takes
     * no memory: there may be none.
     */
    private void breakOff(TransportException reason) {
        if (fault == null) {
            fault = reason;
        }
        if (!isCalling) {
            endBroken();
        }
    }

    /** The channel first: it may have taken the bytes, and not have told who waits for them. */
    private void endBroken() {
        IOBuf buffer = halfGiven;
        halfGiven = null;
        try {
            end(fault);
        } finally {
            if (buffer != null) {
                drop(buffer);
            }
        }
    }

    /** {@return one buffer with all pieces} TLS makes records of it, and would copy small ones. */
    private static ByteBuf whole(IOBuf buffer) {
        if (buffer.pieces() == 1) {
            return view(buffer, 0);
        }
        ByteBuffer[] pieces = new ByteBuffer[buffer.pieces()];
        for (int i = 0; i < pieces.length; i++) {
            pieces[i] = buffer.piece(i).asByteBuffer();
        }
        return Unpooled.wrappedBuffer(pieces.length, pieces);
    }

    private static ByteBuf view(IOBuf buffer, int piece) {
        return Unpooled.wrappedBuffer(buffer.piece(piece).asByteBuffer());
    }

    private void onWritten(IOBuf buffer, Future<? super Void> written) {
        long size = buffer.size();
        try {
            drop(buffer);
        } finally {
            onWritten(size, written);
        }
    }

    private void onWritten(long size, Future<? super Void> written) {
        if (!written.isSuccess()) {
            // before anything that follows is given to the channel
            breakOff(SocketFailure.of("write", written.cause()));
            return;
        }
        sentBytes.add(size);
        if (isClosing && unwritten.get() == 0) {
            finishOutput();
        }
    }

    /** Counted before it is released: nothing that goes wrong there may stay in the count. */
    private void drop(IOBuf buffer) {
        unwritten.addAndGet(-buffer.size());
        buffer.close();
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
            SslHandler tls = channel.pipeline().get(SslHandler.class);
            if (tls == null) {
                // If it fails, the channel closes, which ends this as well.
                Future<?> _ = duplex.shutdownOutput();
            } else {
                // so that the peer knows that nothing was cut off
                tls.closeOutbound()
                        .addListener(
                                _ -> {
                                    Future<?> _ = duplex.shutdownOutput();
                                });
            }
        } else {
            endClosed();
        }
    }

    private void endClosed() {
        end(SocketFailure.of(TransportError.ECLOSE, "closed by this side"));
    }

    @Override
    public void abort(TransportException reason) {
        if (abortion == null) {
            abortion = reason;
        }
        connection.executeOnLoop(endAborted);
    }

    private void endAborted() {
        TransportException reason = abortion;
        if (reason != null) {
            end(reason);
        }
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
        if ((count < ZERO_COPY_MIN || !bytes.isDirect()) && copied(bytes)) {
            bytes.release();
        } else {
            ByteBuf kept = outsideTheHeap(bytes);
            received.appendUserData(
                    MemorySegment.ofBuffer(kept.nioBuffer()),
                    // it may be passed on over RDMA, for example by a proxy
                    BlockPool.COPIED_WHEN_SENT,
                    kept::release);
        }
    }

    /** TLS may decrypt to the heap, where nothing can be sent from. */
    private static ByteBuf outsideTheHeap(ByteBuf bytes) {
        if (bytes.isDirect()) {
            return bytes;
        }
        try {
            return Unpooled.directBuffer(bytes.readableBytes()).writeBytes(bytes);
        } finally {
            bytes.release();
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
        waiting = 0;
        nextFlush = FIRST_FLUSH;
        drain();
        if (fault != null) {
            endBroken();
        }
        // there may have been no memory to tell this thread
        endAborted();
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
        try {
            closeLimit.ifPresent(timer -> timer.cancel(false));
        } finally {
            try {
                connection.finish(reason);
            } finally {
                dropAll();
            }
        }
    }

    private void dropAll() {
        try {
            received.close();
        } finally {
            discardLine();
        }
    }

    private void discardLine() {
        IOBuf buffer = line.poll();
        while (buffer != null) {
            drop(buffer);
            buffer = line.poll();
        }
    }
}
