// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import io.verbena.completion.Faults;
import io.verbena.memory.IOBuf;
import io.verbena.rpc.wire.Checksum;
import io.verbena.rpc.wire.FrameCutter;
import io.verbena.rpc.wire.RpcMeta;
import java.io.IOException;

/**
 * The answer that a connection is decoding, if it is not an error. It is decoded while nobody owns
 * the call, so that a deadline or a cancel need not wait for that; then it is moved into the call's
 * controller.
 *
 * <p>Threads: the connection's. Nothing here throws: whatever goes wrong is the outcome of the
 * call.
 */
final class ResponseFrame {
    private final FrameBuilders builders;

    /** Payload and attachment of an answer that is compressed, checked or long; otherwise null. */
    private FrameBuilder room;

    private Message message;
    private int errorCode;
    private String errorText = "";

    ResponseFrame(FrameBuilders builders) {
        this.builders = builders;
    }

    /**
     * Decodes an answer.
     *
     * @param cutter holds its meta
     * @param received starts with the frame; parts of it are removed
     * @param prototype an instance of the answer's class, and the answer if this one is malformed
     * @param maxBodyBytes the largest payload, compressed or decompressed
     */
    void decode(FrameCutter cutter, IOBuf received, Message prototype, long maxBodyBytes) {
        message = prototype;
        errorCode = 0;
        errorText = "";
        try {
            if (!cutter.isAttachmentPossible()) {
                throw new IOException("attachment_size: " + cutter.meta().attachmentSize());
            }
            message =
                    cutter.isPlain()
                            ? cutter.parse(prototype)
                            : decodeLong(cutter, received, prototype, maxBodyBytes);
        } catch (IOException e) {
            fail(RpcError.ERESPONSE, "the response is broken: " + e.getMessage());
        } catch (Throwable e) {
            fail(RpcError.EINTERNAL, Faults.describe("the response cannot be decoded", e));
        }
    }

    private Message decodeLong(
            FrameCutter cutter, IOBuf received, Message prototype, long maxBodyBytes)
            throws IOException {
        RpcMeta meta = cutter.meta();
        room = builders.take();
        IOBuf payload = room.payload();
        IOBuf attachment = room.frame();
        cutter.cutPayload(received, payload);
        if (!meta.isChecksumWithAttachment()) {
            // still empty, so it is not covered
            Checksum.verify(meta, payload, attachment);
        }
        received.cutInto(attachment, meta.attachmentSize());
        if (meta.isChecksumWithAttachment()) {
            Checksum.verify(meta, payload, attachment);
        }
        return Bodies.read(
                meta.contentType(), meta.compressType(), payload, maxBodyBytes, prototype);
    }

    private void fail(RpcError error, String text) {
        errorCode = error.code();
        errorText = "[E" + errorCode + "]" + text;
    }

    /**
     * Moves everything but the message into a controller.
     *
     * @param cutter as in {@link #decode}
     * @param received as {@link #decode} has left it
     * @param controller of the call, owned by the caller
     */
    void moveTo(FrameCutter cutter, IOBuf received, ClientController controller) {
        try {
            controller.answered(
                    CompressType.of(cutter.meta().compressType()),
                    cutter.meta().checksumType() != Checksum.NONE);
            if (cutter.meta().hasUserFields()) {
                controller.responseUserFields().putAll(cutter.meta().userFields());
            }
            if (room != null) {
                moveAttachment(controller);
            } else if (errorCode == 0 && cutter.meta().attachmentSize() > 0) {
                cutter.cutAttachment(received, controller.responseAttachment());
            }
        } catch (Throwable e) {
            // built without fail: nobody else ends the call now
            TryFailure failure =
                    TryFailure.of(RpcError.EINTERNAL, "the response cannot be taken", e);
            errorCode = failure.code();
            errorText = failure.text();
        }
        controller.outcome(errorCode, errorText);
    }

    private void moveAttachment(ClientController controller) {
        IOBuf attachment = room.frame();
        if (!attachment.isEmpty()) {
            attachment.cutInto(controller.responseAttachment(), attachment.size());
        }
    }

    /** {@return the answer, once} */
    Message takeMessage() {
        Message taken = message;
        message = null;
        return taken;
    }

    /** Drops what was not moved. */
    void clear() {
        if (room != null) {
            builders.giveBack(room);
            room = null;
        }
    }
}
