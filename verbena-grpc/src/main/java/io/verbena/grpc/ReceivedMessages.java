// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import com.google.protobuf.Message;
import io.netty.buffer.ByteBuf;
import io.verbena.memory.BlockPool;
import io.verbena.memory.IOBuf;
import io.verbena.rpc.MessageTooLargeException;
import io.verbena.rpc.RpcError;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.spi.MessageSource;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * The messages that arrive on a stream. The peer may send more as they are polled: their bytes stay
 * in the stream's window until then. Bytes of a message that is not complete leave it at once if
 * nothing else waits to be polled, or a message could never be larger than the window. So a stream
 * holds no more than its window and one message.
 *
 * <p>Threads: the holder of the link's turn adds; one thread at a time polls; any closes.
 */
final class ReceivedMessages implements MessageSource {
    /** Polled bytes are given back together. */
    private static final int CREDIT_BATCH = 64 << 10;

    /** What takes messages out of the stream. In the link's turn, if not said otherwise. */
    interface Stream {
        /** Has the peer send so many bytes more. */
        void credit(int bytes);

        /** Runs something in the link's turn. Any thread. */
        void execute(Runnable task);

        /** There is a new message. */
        void onReadable();
    }

    private record Arrived(IOBuf bytes, boolean isCompressed, int held) {}

    private final Stream stream;
    private final LongSupplier maxBytes;
    private final RpcError broken;
    private final MessageReader reader;
    private final Queue<Arrived> arrived = new ConcurrentLinkedQueue<>();
    private final AtomicInteger unpolled = new AtomicInteger();
    private final AtomicInteger creditDue = new AtomicInteger();
    private volatile boolean isEnded;
    private volatile boolean isClosed;
    private volatile boolean isTooLarge;

    /** Bytes of the incomplete message that have left the window. In the turn. */
    private int creditedAhead;

    /** In the turn. */
    private int count;

    /**
     * The messages of a stream.
     *
     * @param stream brings them
     * @param pool provides their memory
     * @param maxBytes the largest message that is accepted
     * @param broken what polling one fails with that is too large, or cannot be parsed
     */
    ReceivedMessages(Stream stream, BlockPool pool, LongSupplier maxBytes, RpcError broken) {
        this.stream = stream;
        this.maxBytes = maxBytes;
        this.broken = broken;
        this.reader = new MessageReader(pool, maxBytes);
    }

    /** {@return how many bytes of an incomplete message there are} In the turn. */
    long unfinishedBytes() {
        return reader.bytesInside();
    }

    /** {@return how many messages have arrived so far} In the turn. */
    int count() {
        return count;
    }

    /**
     * Data have arrived. In the turn.
     *
     * @param data is read to its end
     */
    void onData(ByteBuf data) throws MalformedMessageException {
        if (isClosed) {
            stream.credit(data.readableBytes());
            return;
        }
        reader.read(data, this::add);
        creditAhead();
    }

    private void add(IOBuf message, boolean isCompressed) {
        int held = Math.toIntExact(message.size()) + MessageReader.PREFIX_LENGTH - creditedAhead;
        creditedAhead = 0;
        arrived.add(new Arrived(message, isCompressed, held));
        unpolled.incrementAndGet();
        count++;
        stream.onReadable();
        if (isClosed) {
            drop();
        }
    }

    private void creditAhead() {
        int ahead = Math.toIntExact(reader.bytesInside()) - creditedAhead;
        if (ahead > 0 && unpolled.get() == 0) {
            creditedAhead += ahead;
            stream.credit(ahead);
        }
    }

    /** The peer has sent its last message. In the turn. */
    void onEnd() throws MalformedMessageException {
        isEnded = true;
        stream.onReadable();
        reader.end();
    }

    @Override
    @SuppressWarnings("unchecked") // the message is of its prototype's class
    public <M extends Message> M poll(M prototype) {
        Arrived next = arrived.poll();
        if (next == null) {
            return null;
        }
        try (IOBuf bytes = next.bytes()) {
            return (M) Messages.decode(bytes, next.isCompressed(), maxBytes.getAsLong(), prototype);
        } catch (MessageTooLargeException e) {
            isTooLarge = true;
            throw new RpcException(broken, e.getMessage());
        } catch (IOException e) {
            throw new RpcException(broken, "a message cannot be parsed: " + e.getMessage());
        } finally {
            polled(next.held());
        }
    }

    /** {@return whether a message was too large after decompressing} Any thread. */
    boolean isTooLarge() {
        return isTooLarge;
    }

    private void polled(int held) {
        int due = creditDue.addAndGet(held);
        if (unpolled.decrementAndGet() == 0 || due >= CREDIT_BATCH) {
            stream.execute(this::creditPolled);
        }
    }

    private void creditPolled() {
        int due = creditDue.getAndSet(0);
        if (due > 0) {
            stream.credit(due);
        }
        creditAhead();
    }

    @Override
    public boolean isEnded() {
        return isEnded;
    }

    /** Nobody polls any more. */
    @Override
    public void close() {
        isClosed = true;
        drop();
        stream.execute(reader::close);
    }

    private void drop() {
        for (Arrived next = arrived.poll(); next != null; next = arrived.poll()) {
            next.bytes().close();
            polled(next.held());
        }
    }
}
