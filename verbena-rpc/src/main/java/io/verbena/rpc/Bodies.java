// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import io.verbena.memory.IOBuf;
import io.verbena.rpc.spi.MessageFormat;
import io.verbena.rpc.wire.Compression;
import io.verbena.rpc.wire.FrameCutter;
import java.io.IOException;
import java.util.Optional;
import java.util.ServiceLoader;

/** Encodes and decodes messages whose payload is more than protobuf's bytes. Any thread. */
final class Bodies {
    private static final MessageFormat[] FORMATS = new MessageFormat[ContentType.values().length];

    static {
        ServiceLoader.load(MessageFormat.class)
                .forEach(format -> FORMATS[format.contentType()] = format);
        FORMATS[ContentType.PROTO_TEXT.code()] = new TextMessages();
    }

    private Bodies() {}

    /** Appends a message, encoded and compressed. */
    static void write(ContentType type, CompressType compression, Message message, IOBuf target)
            throws IOException {
        if (type == ContentType.PROTOBUF) {
            Compression.compress(compression.code(), message, target);
        } else {
            Compression.compress(compression.code(), format(type).write(message), target);
        }
    }

    /**
     * {@return the message of a payload, which stays in its buffer}
     *
     * @param contentType as received
     * @param compressType as received
     * @param limit the maximum number of decompressed bytes
     */
    @SuppressWarnings("unchecked") // a format creates the class of its prototype
    static <M extends Message> M read(
            int contentType, int compressType, IOBuf payload, long limit, M prototype)
            throws IOException {
        if (contentType == ContentType.PROTOBUF.code()) {
            return FrameCutter.parse(payload, compressType, limit, prototype);
        }
        if (!ContentType.isKnown(contentType)) {
            throw new IOException(
                    "content_type: "
                            + contentType
                            + " (expected: 0 to "
                            + (FORMATS.length - 1)
                            + ")");
        }
        MessageFormat format = format(ContentType.of(contentType));
        try (IOBuf original = payload.pool().buffer()) {
            Compression.decompress(compressType, payload, limit, original);
            return (M) format.read(original.toByteArray(), prototype);
        }
    }

    private static MessageFormat format(ContentType type) throws IOException {
        return Optional.ofNullable(FORMATS[type.code()])
                .orElseThrow(
                        () ->
                                new IOException(
                                        "content_type: "
                                                + type
                                                + " (expected: verbena-http on the path, which knows"
                                                + " JSON)"));
    }
}
