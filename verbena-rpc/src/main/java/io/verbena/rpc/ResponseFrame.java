// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import io.verbena.memory.IOBuf;
import io.verbena.rpc.wire.Checksum;
import io.verbena.rpc.wire.FrameCutter;
import io.verbena.rpc.wire.RpcMeta;
import java.io.IOException;

/** Decodes the frame of an answer that is not an error. */
final class ResponseFrame {
    private ResponseFrame() {}

    /**
     * {@return the answer; if it is malformed, the call has failed, as its controller says}
     *
     * @param cutter holds its meta
     * @param received starts with the frame, which is removed
     * @param call the call, owned by the caller and in ENDING
     * @param builders provide temporary buffers
     * @param maxBodyBytes the largest payload, compressed or decompressed
     */
    static Message take(
            FrameCutter cutter,
            IOBuf received,
            PendingCall call,
            FrameBuilders builders,
            long maxBodyBytes) {
        RpcMeta meta = cutter.meta();
        ClientController controller = call.controller;
        if (meta.hasUserFields()) {
            controller.responseUserFields().putAll(meta.userFields());
        }
        controller.answered(
                CompressType.of(meta.compressType()), meta.checksumType() != Checksum.NONE);
        if (!cutter.isAttachmentPossible()) {
            cutter.skip(received);
            return broken(call, "attachment_size: " + meta.attachmentSize());
        }
        try {
            return cutter.isPlain()
                    ? takePlain(cutter, received, call)
                    : takeEncoded(cutter, received, call, builders, maxBodyBytes);
        } catch (IOException e) {
            return broken(call, e.getMessage());
        } catch (RuntimeException e) {
            return broken(call, e.toString());
        }
    }

    private static Message broken(PendingCall call, String what) {
        int code = RpcError.ERESPONSE.code();
        call.controller.outcome(code, "[E" + code + "]the response is broken: " + what);
        return call.responsePrototype;
    }

    private static Message takePlain(FrameCutter cutter, IOBuf received, PendingCall call)
            throws IOException {
        try {
            return cutter.parse(call.responsePrototype);
        } finally {
            if (cutter.meta().attachmentSize() == 0) {
                cutter.skip(received);
            } else {
                cutter.cutAttachment(received, call.controller.responseAttachment());
            }
        }
    }

    private static Message takeEncoded(
            FrameCutter cutter,
            IOBuf received,
            PendingCall call,
            FrameBuilders builders,
            long maxBodyBytes)
            throws IOException {
        RpcMeta meta = cutter.meta();
        FrameBuilder room = builders.take();
        try {
            IOBuf payload = room.payload();
            IOBuf attachment = call.controller.responseAttachment();
            cutter.cutPayload(received, payload, attachment);
            IOBuf covered = meta.isChecksumWithAttachment() ? attachment : room.frame();
            Checksum.verify(meta, payload, covered);
            return Bodies.read(
                    meta.contentType(),
                    meta.compressType(),
                    payload,
                    maxBodyBytes,
                    call.responsePrototype);
        } finally {
            builders.giveBack(room);
        }
    }
}
