// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.MessageLite;
import io.verbena.memory.IOBuf;
import io.verbena.rpc.wire.Checksum;
import io.verbena.rpc.wire.MetaWriter;

/** Builds one frame after another; one thread at a time. */
final class FrameBuilder {
    /** What the checksum of a frame covers. */
    enum Coverage {
        /** There is no checksum. */
        NOTHING,
        /** What every brpc since 1.14 checks. */
        PAYLOAD,
        /** What no released brpc knows. */
        PAYLOAD_AND_ATTACHMENT;

        static Coverage of(boolean hasChecksum, boolean isWithAttachment) {
            if (!hasChecksum) {
                return NOTHING;
            }
            return isWithAttachment ? PAYLOAD_AND_ATTACHMENT : PAYLOAD;
        }
    }

    private final MetaWriter meta = new MetaWriter();
    private final IOBuf frame;
    private final IOBuf payload;

    /** Its place in the pool of builders. */
    private final int place;

    /** Whether all of the frame is still in the writer of the meta. */
    private boolean isShort;

    FrameBuilder(IOBuf frame, IOBuf payload, int place) {
        this.frame = frame;
        this.payload = payload;
        this.place = place;
    }

    MetaWriter meta() {
        return meta;
    }

    /** {@return the frame, as far as it has been made} */
    IOBuf frame() {
        if (isShort) {
            isShort = false;
            meta.appendTo(frame);
        }
        return frame;
    }

    /** {@return whether the frame is short, and not in a buffer of its own} */
    boolean isShort() {
        return isShort;
    }

    /** {@return whether the frame is short and was copied behind others, not to one of its own} */
    boolean tryMoveTo(IOBuf others) {
        if (!isShort) {
            return false;
        }
        meta.appendTo(others);
        isShort = false;
        return true;
    }

    /** {@return the buffer for a payload that must be complete before the meta} */
    IOBuf payload() {
        return payload;
    }

    /**
     * Ends a frame whose meta is complete.
     *
     * @param payload the message
     * @param attachmentSize bytes that the caller appends to the frame
     */
    void endWithMessage(MessageLite payload, long attachmentSize) {
        isShort = attachmentSize == 0 && meta.tryEndHere(payload);
        if (!isShort) {
            meta.endWithMessage(payload, attachmentSize, frame);
        }
    }

    /**
     * Ends a frame whose payload is complete and whose meta has all fields but the checksum.
     *
     * @param contentType how the payload is encoded
     * @param coverage what a checksum covers
     * @param attachmentSize bytes that the caller appends to the frame
     * @param attachment those bytes; not read if there are none
     */
    void endWithPayload(
            ContentType contentType, Coverage coverage, int attachmentSize, IOBuf attachment) {
        if (coverage != Coverage.NOTHING) {
            boolean isWithAttachment =
                    coverage == Coverage.PAYLOAD_AND_ATTACHMENT && attachmentSize > 0;
            IOBuf covered = isWithAttachment ? attachment : frame;
            meta.checksum(contentType.code(), Checksum.of(payload, covered), isWithAttachment);
        } else {
            meta.withoutChecksum(contentType.code());
        }
        meta.endWithBytes(payload, attachmentSize, frame);
    }

    int place() {
        return place;
    }

    void clear() {
        isShort = false;
        frame.clear();
        payload.clear();
    }
}
