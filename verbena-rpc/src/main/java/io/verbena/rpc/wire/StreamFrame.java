// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.wire;

import io.verbena.memory.IOBuf;
import java.util.Arrays;

/**
 * Header and meta of a stream frame, {@code STRM}, laid out as {@link FrameHeader} says. Fields are
 * in ascending order and those that brpc sets are written even if they are 0. Made once and used
 * for every frame of its kind; only the size of the body changes.
 *
 * <p>Threads: one at a time.
 */
public final class StreamFrame {
    private static final int MOST_BYTES = FrameHeader.HEADER_BYTES + 48;

    private final byte[] bytes;

    private StreamFrame(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * {@return the head of frames with data}
     *
     * @param streamId the receiver's id
     * @param sourceStreamId the sender's id
     * @param hasContinuation whether another segment of the message follows
     */
    public static StreamFrame data(long streamId, long sourceStreamId, boolean hasContinuation) {
        Builder builder = new Builder();
        builder.number(StreamMeta.STREAM_ID, streamId);
        builder.number(StreamMeta.SOURCE_STREAM_ID, sourceStreamId);
        builder.number(StreamMeta.FRAME_TYPE, StreamMeta.DATA);
        builder.number(StreamMeta.HAS_CONTINUATION, hasContinuation ? 1 : 0);
        return builder.build();
    }

    /**
     * {@return a frame that ends a stream}
     *
     * @param streamId the receiver's id
     * @param sourceStreamId the sender's id
     */
    public static StreamFrame close(long streamId, long sourceStreamId) {
        Builder builder = new Builder();
        builder.number(StreamMeta.STREAM_ID, streamId);
        builder.number(StreamMeta.SOURCE_STREAM_ID, sourceStreamId);
        builder.number(StreamMeta.FRAME_TYPE, StreamMeta.CLOSE);
        return builder.build();
    }

    /**
     * {@return a frame that refuses a stream}
     *
     * @param streamId the receiver's id
     */
    public static StreamFrame rst(long streamId) {
        Builder builder = new Builder();
        builder.number(StreamMeta.STREAM_ID, streamId);
        builder.number(StreamMeta.FRAME_TYPE, StreamMeta.RST);
        return builder.build();
    }

    /**
     * {@return a frame that says how much was consumed}
     *
     * @param streamId the receiver's id
     * @param sourceStreamId the sender's id
     * @param consumedSize all bytes consumed so far
     */
    public static StreamFrame feedback(long streamId, long sourceStreamId, long consumedSize) {
        Builder builder = new Builder();
        builder.number(StreamMeta.STREAM_ID, streamId);
        builder.number(StreamMeta.SOURCE_STREAM_ID, sourceStreamId);
        builder.number(StreamMeta.FRAME_TYPE, StreamMeta.FEEDBACK);
        builder.feedback(consumedSize);
        return builder.build();
    }

    /**
     * Appends header and meta.
     *
     * @param dataSize how many bytes of data the caller appends next
     * @param target receives them
     */
    public void appendTo(long dataSize, IOBuf target) {
        int metaSize = bytes.length - FrameHeader.HEADER_BYTES;
        FrameHeader.putHeader(
                FrameHeader.STREAM_MAGIC, bytes, Math.toIntExact(metaSize + dataSize), metaSize);
        target.append(bytes, 0, bytes.length);
    }

    /** Writes the fields of a meta. */
    private static final class Builder {
        private final byte[] bytes = new byte[MOST_BYTES];
        private int size = FrameHeader.HEADER_BYTES;

        void number(int field, long value) {
            bytes[size++] = (byte) (field << 3);
            varint(value);
        }

        void feedback(long consumedSize) {
            bytes[size++] = (byte) (StreamMeta.FEEDBACK_PART << 3 | 2);
            int lengthAt = size++;
            number(StreamMeta.CONSUMED_SIZE, consumedSize);
            bytes[lengthAt] = (byte) (size - lengthAt - 1);
        }

        private void varint(long value) {
            long left = value;
            while ((left & ~0x7fL) != 0) {
                bytes[size++] = (byte) (left | 0x80);
                left >>>= 7;
            }
            bytes[size++] = (byte) left;
        }

        StreamFrame build() {
            return new StreamFrame(Arrays.copyOf(bytes, size));
        }
    }
}
