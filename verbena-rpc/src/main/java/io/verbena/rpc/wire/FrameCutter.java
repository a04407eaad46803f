// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.wire;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import io.verbena.memory.IOBuf;
import io.verbena.memory.ProtobufCodec;
import java.io.IOException;

/**
 * Cuts frames out of received bytes, one after another.
 *
 * <p>Call {@link #next}; if that says READY, the frame is at the front of the buffer, and {@link
 * #meta} describes it. Then read the payload, and end with {@link #skip}, {@link #cutAttachment} or
 * {@link #cutPayload}, which remove the frame.
 *
 * <p>Threads: one at a time; one cutter serves one connection.
 */
public final class FrameCutter {
    /** What {@link #next} found. */
    public enum Result {
        /** The frame is complete. */
        READY,
        /** So far it may be a frame, but it is not complete. */
        NEED_MORE,
        /** It is not a frame of this protocol. */
        NOT_MINE,
        /**
         * The body is larger than allowed. The meta is there, so the sender can be told; see {@link
         * #skipAsItArrives}.
         */
        TOO_LARGE,
        /** The frame contradicts itself; it can be skipped if it is complete. */
        BROKEN
    }

    /** A meta holds names and a few numbers; anything larger is an attack or a bug. */
    static final int MAX_META_BYTES = 1 << 20;

    private static final int MAGIC_BYTES = 4;
    private static final int FIRST_CAPACITY = 512;

    /** Payloads up to this are copied with the meta. */
    private static final int TOGETHER_MAX = 4096;

    private final byte[] header = new byte[FrameHeader.HEADER_BYTES];
    private final MetaReader reader = new MetaReader();
    private final RpcMeta meta = new RpcMeta();
    private byte[] scratch = new byte[FIRST_CAPACITY];
    private int metaSize;
    private long bodySize;
    private boolean isPayloadInScratch;

    /** What is still to come of a frame that was too large. */
    private long bytesToSkip;

    /** A cutter. */
    public FrameCutter() {}

    /**
     * {@return what is at the front of a buffer}
     *
     * @param received the buffer; not changed
     * @param maxBodyBytes the largest body that is accepted
     */
    public Result next(IOBuf received, long maxBodyBytes) {
        return next(received, maxBodyBytes, MAX_META_BYTES);
    }

    /**
     * {@return what is at the front of a buffer}
     *
     * @param received the buffer; not changed
     * @param maxBodyBytes the largest body that is accepted
     * @param maxMetaBytes the largest meta that is accepted; a larger one is broken
     */
    public Result next(IOBuf received, long maxBodyBytes, int maxMetaBytes) {
        if (bytesToSkip > 0) {
            skipMore(received);
        }
        long size = received.size();
        if (size < FrameHeader.HEADER_BYTES) {
            return beginning(received, (int) Math.min(size, MAGIC_BYTES));
        }
        received.copyTo(0, header, 0, FrameHeader.HEADER_BYTES);
        if (!FrameHeader.mayBegin(header, MAGIC_BYTES)) {
            return Result.NOT_MINE;
        }
        bodySize = FrameHeader.bodySize(header);
        long claimedMeta = FrameHeader.metaSize(header);
        if (claimedMeta > bodySize || claimedMeta > maxMetaBytes) {
            return Result.BROKEN;
        }
        boolean isTooLarge = bodySize > maxBodyBytes;
        if (size < FrameHeader.HEADER_BYTES + (isTooLarge ? claimedMeta : bodySize)) {
            return Result.NEED_MORE;
        }
        metaSize = (int) claimedMeta;
        return readMeta(received, isTooLarge);
    }

    private Result beginning(IOBuf received, int count) {
        received.copyTo(0, header, 0, count);
        return FrameHeader.mayBegin(header, count) ? Result.NEED_MORE : Result.NOT_MINE;
    }

    private Result readMeta(IOBuf received, boolean isTooLarge) {
        isPayloadInScratch = !isTooLarge && bodySize - metaSize <= TOGETHER_MAX;
        int wanted = isPayloadInScratch ? (int) bodySize : metaSize;
        if (scratch.length < wanted || scratch.length > MAX_META_BYTES) {
            scratch = new byte[Math.max(FIRST_CAPACITY, Integer.highestOneBit(wanted) * 2)];
        }
        received.copyTo(FrameHeader.HEADER_BYTES, scratch, 0, wanted);
        if (!reader.read(scratch, metaSize, meta)) {
            return Result.BROKEN;
        }
        return isTooLarge ? Result.TOO_LARGE : Result.READY;
    }

    /** {@return whether a part of a frame that was too large is still to come} */
    public boolean isSkipping() {
        return bytesToSkip > 0;
    }

    /** {@return the meta of the frame at the front} */
    public RpcMeta meta() {
        return meta;
    }

    /** {@return the size of meta, payload and attachment of the frame at the front} */
    public long bodySize() {
        return bodySize;
    }

    /** {@return the size of the frame at the front} */
    public long frameSize() {
        return FrameHeader.HEADER_BYTES + bodySize;
    }

    /** {@return the size of payload and attachment} */
    public long bytesBehindMeta() {
        return bodySize - metaSize;
    }

    /** {@return whether the attachment, as the meta gives it, fits the frame} */
    public boolean isAttachmentPossible() {
        return meta.attachmentSize() >= 0 && meta.attachmentSize() <= bytesBehindMeta();
    }

    /** {@return the size of the payload} */
    public long payloadSize() {
        return bytesBehindMeta() - meta.attachmentSize();
    }

    /** {@return whether {@link #parse} needs only bytes that are already copied} */
    public boolean isPlain() {
        return isPayloadInScratch
                && meta.compressType() == Compression.NONE
                && meta.checksumType() == Checksum.NONE
                && meta.contentType() == 0;
    }

    /**
     * {@return the payload of a frame that {@link #isPlain} as a message} The frame stays where it
     * is.
     *
     * @param <M> the message's class
     * @param prototype an instance of the message's class
     * @throws InvalidProtocolBufferException if it is not such a message
     */
    @SuppressWarnings("unchecked") // a parser creates the class of its prototype
    public <M extends MessageLite> M parse(M prototype) throws InvalidProtocolBufferException {
        return (M) prototype.getParserForType().parseFrom(scratch, metaSize, (int) payloadSize());
    }

    /**
     * Removes the frame.
     *
     * @param received the buffer that starts with it
     */
    public void skip(IOBuf received) {
        received.popFront(frameSize());
    }

    /**
     * Removes a frame that is too large to be collected: what has arrived of it now, and the rest
     * before {@link #next} looks for another frame.
     *
     * @param received the buffer that starts with it
     */
    public void skipAsItArrives(IOBuf received) {
        bytesToSkip = frameSize();
        skipMore(received);
    }

    private void skipMore(IOBuf received) {
        long skipped = Math.min(bytesToSkip, received.size());
        received.popFront(skipped);
        bytesToSkip -= skipped;
    }

    /**
     * Removes the frame and moves its attachment to another buffer.
     *
     * @param received the buffer that starts with it
     * @param target gets the attachment
     */
    public void cutAttachment(IOBuf received, IOBuf target) {
        received.popFront(frameSize() - meta.attachmentSize());
        received.cutInto(target, meta.attachmentSize());
    }

    /**
     * Removes the frame and moves its payload and attachment to other buffers.
     *
     * @param received the buffer that starts with it
     * @param payload gets the payload
     * @param attachment gets the attachment
     */
    public void cutPayload(IOBuf received, IOBuf payload, IOBuf attachment) {
        cutPayload(received, payload);
        received.cutInto(attachment, meta.attachmentSize());
    }

    /**
     * Removes the frame up to its attachment, and moves its payload to another buffer.
     *
     * @param received the buffer that starts with it; starts with the attachment afterwards
     * @param payload gets the payload
     */
    public void cutPayload(IOBuf received, IOBuf payload) {
        received.popFront(FrameHeader.HEADER_BYTES + (long) metaSize);
        received.cutInto(payload, payloadSize());
    }

    /**
     * {@return a payload as a message}
     *
     * @param <M> the message's class
     * @param payload the payload as received; it stays in the buffer
     * @param compressType the compression type of its meta
     * @param limit the maximum number of decompressed bytes
     * @param prototype an instance of the message's class
     * @throws IOException if it is not such a message
     */
    @SuppressWarnings("unchecked") // a parser creates the class of its prototype
    public static <M extends MessageLite> M parse(
            IOBuf payload, int compressType, long limit, M prototype) throws IOException {
        if (compressType == Compression.NONE) {
            return (M) ProtobufCodec.parse(payload, prototype.getParserForType());
        }
        try (IOBuf original = payload.pool().buffer()) {
            Compression.decompress(compressType, payload, limit, original);
            return (M) ProtobufCodec.parse(original, prototype.getParserForType());
        }
    }
}
