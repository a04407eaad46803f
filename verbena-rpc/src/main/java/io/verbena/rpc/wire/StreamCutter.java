// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.wire;

import io.verbena.memory.IOBuf;

/**
 * Cuts stream frames out of received bytes, one after another, as {@link FrameCutter} does with
 * those of calls: call {@link #next}, and if that says READY, end with {@link #skip} or {@link
 * #cutData}, which remove the frame.
 *
 * <p>Threads: one at a time; one cutter serves one connection.
 */
public final class StreamCutter {
    /** Data up to this is copied with the meta: small messages must not pin received blocks. */
    public static final int COPIED_MAX = 1024;

    private static final int MAX_META_BYTES = 1024;
    private static final int MAGIC_BYTES = 4;

    private final byte[] scratch = new byte[MAX_META_BYTES + COPIED_MAX];
    private final MetaReader reader = new MetaReader();
    private final StreamMeta meta = new StreamMeta();
    private int metaSize;
    private long bodySize;

    /** What is still to come of a frame that was too large. */
    private long bytesToSkip;

    /** A cutter. */
    public StreamCutter() {}

    /**
     * {@return what is at the front of a buffer}
     *
     * @param received the buffer; changed only while a frame that was too large is skipped
     * @param maxBodyBytes the largest body that is accepted
     */
    public FrameCutter.Result next(IOBuf received, long maxBodyBytes) {
        skipRest(received);
        int first = (int) Math.min(received.size(), FrameHeader.HEADER_BYTES);
        received.copyTo(0, scratch, 0, first);
        if (!FrameHeader.mayBegin(
                FrameHeader.STREAM_MAGIC, scratch, Math.min(first, MAGIC_BYTES))) {
            return FrameCutter.Result.NOT_MINE;
        }
        if (first < FrameHeader.HEADER_BYTES) {
            return FrameCutter.Result.NEED_MORE;
        }
        bodySize = FrameHeader.bodySize(scratch);
        long claimedMeta = FrameHeader.metaSize(scratch);
        if (claimedMeta > bodySize || claimedMeta > MAX_META_BYTES) {
            return FrameCutter.Result.BROKEN;
        }
        boolean isTooLarge = bodySize > maxBodyBytes;
        if (received.size() < FrameHeader.HEADER_BYTES + (isTooLarge ? claimedMeta : bodySize)) {
            return FrameCutter.Result.NEED_MORE;
        }
        metaSize = (int) claimedMeta;
        return readMeta(received, isTooLarge);
    }

    private FrameCutter.Result readMeta(IOBuf received, boolean isTooLarge) {
        boolean isCopied = !isTooLarge && bodySize - metaSize <= COPIED_MAX;
        int copied = isCopied ? (int) bodySize : metaSize;
        received.copyTo(FrameHeader.HEADER_BYTES, scratch, 0, copied);
        if (!reader.readStream(scratch, metaSize, meta)) {
            return FrameCutter.Result.BROKEN;
        }
        return isTooLarge ? FrameCutter.Result.TOO_LARGE : FrameCutter.Result.READY;
    }

    /** {@return the meta of the frame at the front} */
    public StreamMeta meta() {
        return meta;
    }

    /** {@return the size of the data} */
    public long dataSize() {
        return bodySize - metaSize;
    }

    /**
     * Removes the frame.
     *
     * @param received the buffer that starts with it
     */
    public void skip(IOBuf received) {
        received.popFront(FrameHeader.HEADER_BYTES + bodySize);
    }

    /**
     * Removes a frame that is too large to be collected: what has arrived of it now, and the rest
     * before {@link #next} looks for another frame.
     *
     * @param received the buffer that starts with it
     */
    public void skipAsItArrives(IOBuf received) {
        bytesToSkip = FrameHeader.HEADER_BYTES + bodySize;
        skipRest(received);
    }

    /** {@return whether the next bytes belong to a frame that was too large} */
    public boolean isSkipping() {
        return bytesToSkip > 0;
    }

    /**
     * Removes what has arrived of the rest of a frame that was too large. What follows it need not
     * be a frame of a stream.
     *
     * @param received the buffer that starts with it, if there is such a frame
     */
    public void skipRest(IOBuf received) {
        if (bytesToSkip > 0) {
            bytesToSkip -= received.popFront(Math.min(bytesToSkip, received.size()));
        }
    }

    /**
     * Removes the frame and moves its data to another buffer: by copying if there is little of it.
     *
     * @param received the buffer that starts with it
     * @param target gets the data
     */
    public void cutData(IOBuf received, IOBuf target) {
        if (dataSize() <= COPIED_MAX) {
            target.append(scratch, metaSize, (int) dataSize());
            skip(received);
        } else {
            received.popFront(FrameHeader.HEADER_BYTES + (long) metaSize);
            received.cutInto(target, dataSize());
        }
    }
}
