// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

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

    FrameBuilder(IOBuf frame, IOBuf payload, int place) {
        this.frame = frame;
        this.payload = payload;
        this.place = place;
    }

    MetaWriter meta() {
        return meta;
    }

    IOBuf frame() {
        return frame;
    }

    /** {@return the buffer for a payload that must be complete before the meta} */
    IOBuf payload() {
        return payload;
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
        frame.clear();
        payload.clear();
    }
}
