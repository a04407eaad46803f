// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.rpc.FrameBuilder.Coverage;
import io.verbena.rpc.wire.MetaWriter;
import java.io.IOException;

/** Makes the frame of one try of a call. */
final class RequestFrame {
    private RequestFrame() {}

    /**
     * Makes the frame.
     *
     * @param builder builds the frame
     * @param call the call, owned by the caller
     * @param timeoutMs the timeout sent to the server, or 0
     * @param isAttachmentCovered whether a checksum also covers the attachment
     * @throws IOException if the request cannot be compressed
     */
    static void build(
            FrameBuilder builder, PendingCall call, int timeoutMs, boolean isAttachmentCovered)
            throws IOException {
        ClientController controller = call.controller;
        long attachmentSize =
                controller.hasRequestAttachment() ? controller.requestAttachment().size() : 0;
        boolean isPlain =
                controller.requestCompressType() == CompressType.NONE
                        && !controller.hasRequestChecksum()
                        && controller.contentType() == ContentType.PROTOBUF;
        if (isPlain) {
            meta(builder.meta(), call, timeoutMs, Math.toIntExact(attachmentSize));
            builder.meta().withoutChecksum();
            builder.endWithMessage(call.request, attachmentSize);
        } else {
            Coverage coverage = Coverage.of(controller.hasRequestChecksum(), isAttachmentCovered);
            encoded(builder, call, timeoutMs, Math.toIntExact(attachmentSize), coverage);
        }
        if (attachmentSize > 0) {
            builder.frame().append(controller.requestAttachment());
        }
    }

    /** For a payload that must be complete before the meta. */
    private static void encoded(
            FrameBuilder builder,
            PendingCall call,
            int timeoutMs,
            int attachmentSize,
            Coverage coverage)
            throws IOException {
        ClientController controller = call.controller;
        Bodies.write(
                controller.contentType(),
                controller.requestCompressType(),
                call.request,
                builder.payload());
        meta(builder.meta(), call, timeoutMs, attachmentSize);
        builder.endWithPayload(
                controller.contentType(), coverage, attachmentSize, controller.requestAttachment());
    }

    private static void meta(MetaWriter meta, PendingCall call, int timeoutMs, int attachmentSize) {
        ClientController controller = call.controller;
        meta.begin();
        meta.request(call.names, controller.logId(), controller.requestId(), timeoutMs);
        meta.common(controller.requestCompressType().code(), call.id(), attachmentSize);
        if (call.credentials != null) {
            meta.authentication(call.credentials);
        }
        if (call.streamSettings != null) {
            meta.streamSettings(call.streamSettings);
        }
        if (controller.hasExtras()) {
            meta.userFields(controller.requestUserFields());
        }
    }
}
