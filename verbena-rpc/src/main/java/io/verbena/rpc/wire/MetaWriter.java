// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.wire;

import com.google.protobuf.MessageLite;
import io.verbena.memory.IOBuf;
import io.verbena.memory.ProtobufCodec;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;

/**
 * Builds a frame: header and meta in an array of its own, followed by the payload. Fields are in
 * ascending order and, as in brpc, most of them are written even if they are 0.
 *
 * <p>Call {@link #begin}, then the fields in ascending order, then one of the endings. The writer
 * is reused for the next frame, so that no frame allocates.
 *
 * <p>Threads: one at a time.
 */
public final class MetaWriter {
    private static final int FIRST_CAPACITY = 256;

    /** Payloads up to this size are written to the array with the meta, as one piece. */
    private static final int TOGETHER_MAX = 4096;

    private static final int DELIMITED = 2;
    private static final int MAX_VARINT_BYTES = 10;
    private static final byte[] NOTHING = {};

    private final MessageEncoder encoder;
    private byte[] bytes = new byte[FIRST_CAPACITY];
    private int size;

    /** A writer. */
    public MetaWriter() {
        this(new MessageEncoder(TOGETHER_MAX));
    }

    private MetaWriter(MessageEncoder encoder) {
        this.encoder = encoder;
    }

    /** {@return a writer for a nested message of the meta} */
    private MetaWriter inner() {
        return new MetaWriter(encoder);
    }

    /** Begins a frame. */
    public void begin() {
        size = FrameHeader.HEADER_BYTES;
    }

    /**
     * Writes the request part.
     *
     * @param names the fields service_name and method_name, see {@link #names}
     * @param logId left out if 0
     * @param requestId left out if empty
     * @param timeoutMs left out if 0
     */
    public void request(byte[] names, long logId, String requestId, int timeoutMs) {
        if (logId == 0 && requestId.isEmpty() && timeoutMs == 0) {
            room(names.length + 2 * MAX_VARINT_BYTES);
            tag(RpcMeta.REQUEST, DELIMITED);
            varint(names.length);
            raw(names);
            return;
        }
        byte[] idBytes = requestId.isEmpty() ? NOTHING : requestId.getBytes(StandardCharsets.UTF_8);
        int length =
                names.length
                        + (logId == 0 ? 0 : 1 + varintSize(logId))
                        + (idBytes.length == 0
                                ? 0
                                : 1 + varintSize(idBytes.length) + idBytes.length)
                        + (timeoutMs == 0 ? 0 : 1 + varintSize(timeoutMs));
        room(length + 2 * MAX_VARINT_BYTES);
        tag(RpcMeta.REQUEST, DELIMITED);
        varint(length);
        raw(names);
        if (logId != 0) {
            number(RpcMeta.LOG_ID, logId);
        }
        if (idBytes.length > 0) {
            bytes(RpcMeta.REQUEST_ID, idBytes);
        }
        if (timeoutMs != 0) {
            number(RpcMeta.TIMEOUT_MS, timeoutMs);
        }
    }

    /**
     * {@return the fields service_name and method_name of a request, encoded}
     *
     * @param service full name of the service
     * @param method name of the method
     */
    public static byte[] names(String service, String method) {
        MetaWriter writer = new MetaWriter();
        writer.size = 0;
        writer.text(RpcMeta.SERVICE_NAME, service);
        writer.text(RpcMeta.METHOD_NAME, method);
        return Arrays.copyOf(writer.bytes, writer.size);
    }

    /**
     * Writes the response part.
     *
     * @param errorCode 0 for success
     * @param errorText left out if empty
     */
    public void response(int errorCode, String errorText) {
        if (errorText.isEmpty()) {
            room(4 * MAX_VARINT_BYTES);
            tag(RpcMeta.RESPONSE, DELIMITED);
            varint(1 + varintSize(errorCode));
            tag(RpcMeta.ERROR_CODE, 0);
            varint(errorCode);
            return;
        }
        MetaWriter inner = inner();
        inner.size = 0;
        inner.number(RpcMeta.ERROR_CODE, errorCode);
        inner.text(RpcMeta.ERROR_TEXT, errorText);
        message(RpcMeta.RESPONSE, inner);
    }

    /**
     * Writes the fields that both directions have.
     *
     * @param compressType a constant of {@link Compression}
     * @param correlationId the id of the call
     * @param attachmentSize left out if 0
     */
    public void common(int compressType, long correlationId, int attachmentSize) {
        number(RpcMeta.COMPRESS_TYPE, compressType);
        number(RpcMeta.CORRELATION_ID, correlationId);
        if (attachmentSize != 0) {
            number(RpcMeta.ATTACHMENT_SIZE, attachmentSize);
        }
    }

    /**
     * Writes credentials.
     *
     * @param credentials left out if empty
     */
    public void authentication(byte[] credentials) {
        if (credentials.length > 0) {
            room(credentials.length + 2 * MAX_VARINT_BYTES);
            tag(RpcMeta.AUTHENTICATION_DATA, DELIMITED);
            varint(credentials.length);
            raw(credentials);
        }
    }

    /**
     * Writes the streams that this side offers. brpc does not pack the ids.
     *
     * @param settings the streams
     */
    public void streamSettings(StreamSettings settings) {
        MetaWriter inner = inner();
        inner.size = 0;
        inner.number(StreamSettings.STREAM_ID, settings.id(0));
        inner.number(StreamSettings.NEED_FEEDBACK, settings.isFeedbackNeeded() ? 1 : 0);
        inner.number(StreamSettings.WRITABLE, settings.isWritable() ? 1 : 0);
        for (int i = 1; i < settings.count(); i++) {
            inner.number(StreamSettings.EXTRA_STREAM_IDS, settings.id(i));
        }
        message(RpcMeta.STREAM_SETTINGS, inner);
    }

    /**
     * Writes user fields.
     *
     * @param fields names and values
     */
    public void userFields(Map<String, String> fields) {
        fields.forEach(
                (key, value) -> {
                    MetaWriter inner = inner();
                    inner.size = 0;
                    inner.text(RpcMeta.MAP_KEY, key);
                    inner.text(RpcMeta.MAP_VALUE, value);
                    message(RpcMeta.USER_FIELDS, inner);
                });
    }

    /** Writes that the payload is protobuf and there is no checksum. */
    public void withoutChecksum() {
        withoutChecksum(0);
    }

    /**
     * Writes how the payload is encoded, and that there is no checksum.
     *
     * @param contentType brpc's number of the encoding
     */
    public void withoutChecksum(int contentType) {
        number(RpcMeta.CONTENT_TYPE, contentType);
        number(RpcMeta.CHECKSUM_TYPE, 0);
        room(2);
        tag(RpcMeta.CHECKSUM_VALUE, DELIMITED);
        varint(0);
    }

    /**
     * Writes how the payload is encoded, and its CRC-32C.
     *
     * @param contentType brpc's number of the encoding
     * @param value the masked checksum
     * @param isWithAttachment whether it also covers the attachment
     */
    public void checksum(int contentType, int value, boolean isWithAttachment) {
        number(RpcMeta.CONTENT_TYPE, contentType);
        number(RpcMeta.CHECKSUM_TYPE, Checksum.CRC32C);
        room(2 + Integer.BYTES);
        tag(RpcMeta.CHECKSUM_VALUE, DELIMITED);
        varint(Integer.BYTES);
        for (int shift = 24; shift >= 0; shift -= Byte.SIZE) {
            bytes[size++] = (byte) (value >>> shift);
        }
        if (isWithAttachment) {
            number(RpcMeta.CHECKSUM_WITH_ATTACHMENT, 1);
        }
    }

    /**
     * Ends a frame with a message as payload.
     *
     * @param payload the message
     * @param attachmentSize the size of the attachment that the caller appends
     * @param target receives the frame without the attachment
     */
    public void endWithMessage(MessageLite payload, long attachmentSize, IOBuf target) {
        int payloadSize = payload.getSerializedSize();
        putHeader(payloadSize + attachmentSize);
        if (payloadSize > TOGETHER_MAX) {
            target.append(bytes, 0, size);
            ProtobufCodec.append(payload, target);
            return;
        }
        encodeBehind(payload, payloadSize);
        appendTo(target);
    }

    /**
     * {@return whether a frame ended with a short message as payload} The whole frame is then in
     * the array, for {@link #appendTo}; otherwise nothing has changed.
     *
     * @param payload the message; there is no attachment
     */
    public boolean tryEndHere(MessageLite payload) {
        int payloadSize = payload.getSerializedSize();
        if (payloadSize > TOGETHER_MAX) {
            return false;
        }
        putHeader(payloadSize);
        encodeBehind(payload, payloadSize);
        return true;
    }

    private void encodeBehind(MessageLite payload, int payloadSize) {
        room(payloadSize);
        encoder.encode(payload, bytes, size, payloadSize);
        size += payloadSize;
    }

    /**
     * Copies a frame that has ended here.
     *
     * @param target receives the frame
     */
    public void appendTo(IOBuf target) {
        target.append(bytes, 0, size);
    }

    /**
     * Ends a frame with bytes as payload.
     *
     * @param payload is emptied
     * @param attachmentSize the size of the attachment that the caller appends
     * @param target receives the frame without the attachment
     */
    public void endWithBytes(IOBuf payload, long attachmentSize, IOBuf target) {
        putHeader(payload.size() + attachmentSize);
        target.append(bytes, 0, size);
        payload.cutInto(target, payload.size());
    }

    /**
     * Ends a frame without payload.
     *
     * @param target receives the frame
     */
    public void end(IOBuf target) {
        putHeader(0);
        target.append(bytes, 0, size);
    }

    private void putHeader(long behindMeta) {
        int metaSize = size - FrameHeader.HEADER_BYTES;
        FrameHeader.putHeader(bytes, (int) (metaSize + behindMeta), metaSize);
    }

    private void number(int field, long value) {
        room(2 * MAX_VARINT_BYTES);
        tag(field, 0);
        varint(value);
    }

    private void text(int field, String value) {
        bytes(field, value.getBytes(StandardCharsets.UTF_8));
    }

    private void bytes(int field, byte[] encoded) {
        room(encoded.length + 2 * MAX_VARINT_BYTES);
        tag(field, DELIMITED);
        varint(encoded.length);
        raw(encoded);
    }

    private void message(int field, MetaWriter inner) {
        room(inner.size + 2 * MAX_VARINT_BYTES);
        tag(field, DELIMITED);
        varint(inner.size);
        System.arraycopy(inner.bytes, 0, bytes, size, inner.size);
        size += inner.size;
    }

    private void raw(byte[] value) {
        room(value.length);
        System.arraycopy(value, 0, bytes, size, value.length);
        size += value.length;
    }

    private void tag(int field, int type) {
        bytes[size++] = (byte) (field << 3 | type);
    }

    private void varint(long value) {
        long left = value;
        while ((left & ~0x7fL) != 0) {
            bytes[size++] = (byte) (left | 0x80);
            left >>>= 7;
        }
        bytes[size++] = (byte) left;
    }

    /** Negative numbers take ten bytes: they are extended to 64 bits, as protobuf does. */
    private static int varintSize(long value) {
        return Math.max(1, (Long.SIZE - Long.numberOfLeadingZeros(value) + 6) / 7);
    }

    private void room(int count) {
        if (bytes.length - size < count) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, size + count));
        }
    }
}
