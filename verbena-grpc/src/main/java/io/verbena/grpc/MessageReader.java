// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import io.netty.buffer.ByteBuf;
import io.verbena.memory.BlockPool;
import io.verbena.memory.IOBuf;
import java.util.function.LongSupplier;

/**
 * Takes messages out of the data of a stream.
 *
 * <pre>
 *   0            1        5
 *   compressed   length   message
 * </pre>
 *
 * <p>Memory is taken as bytes arrive, whatever length a message claims. Belongs to the holder of
 * the link's turn.
 */
final class MessageReader implements AutoCloseable {
    /** The flag and the length before each message. */
    static final int PREFIX_LENGTH = 5;

    /** Gets messages. */
    @FunctionalInterface
    interface Sink {
        /**
         * A message is complete.
         *
         * @param message its bytes; the sink closes the buffer
         * @param isCompressed whether they are compressed
         */
        void onMessage(IOBuf message, boolean isCompressed) throws MalformedMessageException;
    }

    private final BlockPool pool;
    private final LongSupplier maxBytes;
    private final byte[] prefix = new byte[PREFIX_LENGTH];
    private int prefixLength;
    private long length;
    private IOBuf body;
    private boolean isClosed;

    /**
     * A reader.
     *
     * @param pool provides the memory of messages
     * @param maxBytes the largest message that is accepted
     */
    MessageReader(BlockPool pool, LongSupplier maxBytes) {
        this.pool = pool;
        this.maxBytes = maxBytes;
        this.body = pool.buffer();
    }

    /** {@return how many bytes of an incomplete message there are, with its prefix} */
    long bytesInside() {
        return prefixLength + body.size();
    }

    /**
     * Reads data.
     *
     * @param data is read to its end, unless it is malformed
     * @param sink gets the messages that are complete
     * @throws MalformedMessageException if nothing more can be read
     */
    void read(ByteBuf data, Sink sink) throws MalformedMessageException {
        while (!isClosed && data.isReadable()) {
            if (prefixLength < PREFIX_LENGTH) {
                int count = Math.min(PREFIX_LENGTH - prefixLength, data.readableBytes());
                data.readBytes(prefix, prefixLength, count);
                prefixLength += count;
                if (prefixLength < PREFIX_LENGTH) {
                    return;
                }
                begin();
            }
            take(data, (int) Math.min(length - body.size(), data.readableBytes()));
            if (body.size() == length) {
                IOBuf message = body;
                body = pool.buffer();
                prefixLength = 0;
                sink.onMessage(message, prefix[0] == 1);
            }
        }
    }

    private void begin() throws MalformedMessageException {
        if (prefix[0] != 0 && prefix[0] != 1) {
            throw new MalformedMessageException(
                    GrpcStatus.INTERNAL, "message flag: " + prefix[0] + " (expected: 0 or 1)");
        }
        length = 0;
        for (int i = 1; i < PREFIX_LENGTH; i++) {
            length = length << Byte.SIZE | prefix[i] & 0xff;
        }
        long most = maxBytes.getAsLong();
        if (length > most) {
            throw new MalformedMessageException(
                    GrpcStatus.RESOURCE_EXHAUSTED,
                    "message: " + length + " bytes (expected: at most max_body_size=" + most + ")");
        }
    }

    private void take(ByteBuf data, int count) {
        if (data.hasArray()) {
            body.append(data.array(), data.arrayOffset() + data.readerIndex(), count);
        } else {
            body.append(data.nioBuffer(data.readerIndex(), count));
        }
        data.skipBytes(count);
    }

    /** There will be no more data. */
    void end() throws MalformedMessageException {
        if (prefixLength > 0) {
            throw new MalformedMessageException(
                    GrpcStatus.INTERNAL, "message: ends before its length");
        }
    }

    /** Releases the memory of an incomplete message. */
    @Override
    public void close() {
        isClosed = true;
        body.close();
    }
}
