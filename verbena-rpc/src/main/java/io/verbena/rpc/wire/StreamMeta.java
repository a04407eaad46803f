// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.wire;

/**
 * The meta of a received stream frame: brpc's {@code StreamFrameMeta}. One object serves a
 * connection: the next frame overwrites it. Threads: one at a time.
 */
public final class StreamMeta {
    /** Ends a stream that is unknown or broken. */
    public static final int RST = 1;

    /** Ends a stream. */
    public static final int CLOSE = 2;

    /** A message, or a segment of one. */
    public static final int DATA = 3;

    /** How many bytes were consumed. */
    public static final int FEEDBACK = 4;

    static final int STREAM_ID = 1;
    static final int SOURCE_STREAM_ID = 2;
    static final int FRAME_TYPE = 3;
    static final int HAS_CONTINUATION = 4;
    static final int FEEDBACK_PART = 5;
    static final int CONSUMED_SIZE = 1;

    long streamId;
    long sourceStreamId;
    boolean hasStreamId;
    boolean hasSource;
    int frameType;
    boolean hasContinuation;
    long consumedSize;

    /** A meta without values. */
    public StreamMeta() {}

    void reset() {
        streamId = 0;
        sourceStreamId = 0;
        hasStreamId = false;
        hasSource = false;
        frameType = 0;
        hasContinuation = false;
        consumedSize = 0;
    }

    /** {@return the receiver's id of the stream} */
    public long streamId() {
        return streamId;
    }

    /** {@return the sender's id of the stream; meaningless without {@link #hasSource}} */
    public long sourceStreamId() {
        return sourceStreamId;
    }

    /** {@return whether the sender says its id} */
    public boolean hasSource() {
        return hasSource;
    }

    /** {@return what the frame is; one of the constants, or a number of a later version} */
    public int frameType() {
        return frameType;
    }

    /** {@return whether further segments of the same message follow} */
    public boolean hasContinuation() {
        return hasContinuation;
    }

    /** {@return how many bytes of the stream the sender has consumed so far, as it claims} */
    public long consumedSize() {
        return consumedSize;
    }

    @Override
    public String toString() {
        return "frame " + frameType + " of stream " + streamId + " from " + sourceStreamId;
    }
}
