// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import com.google.protobuf.Message;
import io.netty.buffer.ByteBuf;
import io.verbena.memory.BlockPool;
import io.verbena.rpc.RpcError;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.spi.MessageSink;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * The messages that leave on a stream. Only so many bytes wait for the peer's window, of the stream
 * and of its connection.
 *
 * <p>Threads: one at a time writes; the holder of the link's turn reports what has left.
 */
final class SentMessages implements MessageSink {
    /** When so many bytes wait, there is no room for another message. */
    private static final int MAX_WAITING = 128 << 10;

    /** Where messages go. */
    interface Stream {
        /**
         * Writes a message. Any thread.
         *
         * @param message its bytes
         * @param onWritten runs when they have left the stream's queue, or never will
         */
        void write(ByteBuf message, Runnable onWritten);

        /** {@return whether the connection has room for another message} Any thread. */
        default boolean hasRoom() {
            return true;
        }

        /**
         * The connection has no room. Any thread.
         *
         * @param waiter runs when it has, maybe at once; the same for all messages of a stream
         */
        default void awaitRoom(Runnable waiter) {}

        /** There is room again. */
        void onWritable();

        /** There will be no more. Any thread. */
        void end();
    }

    private final Stream stream;
    private final BlockPool pool;
    private final BooleanSupplier isCompressed;
    private final AtomicInteger waitingBytes = new AtomicInteger();
    private final AtomicBoolean isAwaited = new AtomicBoolean();
    private final AtomicBoolean isClosed = new AtomicBoolean();
    private final Runnable waker = this::wake;

    SentMessages(Stream stream, BlockPool pool, BooleanSupplier isCompressed) {
        this.stream = stream;
        this.pool = pool;
        this.isCompressed = isCompressed;
    }

    @Override
    public boolean tryWrite(Message message) {
        if (waitingBytes.get() >= MAX_WAITING || !stream.hasRoom()) {
            isAwaited.set(true);
            wake();
            return false;
        }
        ByteBuf bytes = encode(message);
        int length = bytes.readableBytes();
        waitingBytes.addAndGet(length);
        stream.write(bytes, () -> onWritten(length));
        return true;
    }

    private ByteBuf encode(Message message) {
        try {
            return Messages.encode(message, isCompressed.getAsBoolean(), pool);
        } catch (IOException e) {
            throw new RpcException(
                    RpcError.EINTERNAL, "a message cannot be written: " + e.getMessage());
        }
    }

    private void onWritten(int length) {
        waitingBytes.addAndGet(-length);
        wake();
    }

    private void wake() {
        if (waitingBytes.get() >= MAX_WAITING || !isAwaited.get()) {
            return;
        }
        if (!stream.hasRoom()) {
            stream.awaitRoom(waker);
        } else if (isAwaited.getAndSet(false)) {
            stream.onWritable();
        }
    }

    @Override
    public void close() {
        if (isClosed.compareAndSet(false, true)) {
            stream.end();
        }
    }
}
