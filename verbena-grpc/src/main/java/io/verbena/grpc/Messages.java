// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.Message;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.verbena.memory.BlockPool;
import io.verbena.memory.IOBuf;
import io.verbena.memory.ProtobufCodec;
import io.verbena.rpc.CompressType;
import java.io.IOException;

/** Messages as bytes, with the prefix that gRPC puts before each. Any thread. */
final class Messages {
    private Messages() {}

    /**
     * {@return a message with its prefix}
     *
     * @param message the message
     * @param isCompressed whether to compress it with gzip
     * @param pool provides memory for a moment
     */
    static ByteBuf encode(Message message, boolean isCompressed, BlockPool pool)
            throws IOException {
        if (!isCompressed) {
            int length = message.getSerializedSize();
            byte[] bytes = withPrefix(0, length);
            CodedOutputStream output =
                    CodedOutputStream.newInstance(bytes, MessageReader.PREFIX_LENGTH, length);
            message.writeTo(output);
            output.checkNoSpaceLeft();
            return Unpooled.wrappedBuffer(bytes);
        }
        try (IOBuf compressed = pool.buffer()) {
            CompressType.GZIP.compress(message, compressed);
            int length = Math.toIntExact(compressed.size());
            byte[] bytes = withPrefix(1, length);
            compressed.copyTo(0, bytes, MessageReader.PREFIX_LENGTH, length);
            return Unpooled.wrappedBuffer(bytes);
        }
    }

    private static byte[] withPrefix(int flag, int length) {
        byte[] bytes = new byte[Math.addExact(MessageReader.PREFIX_LENGTH, length)];
        bytes[0] = (byte) flag;
        for (int i = 1; i < MessageReader.PREFIX_LENGTH; i++) {
            bytes[i] = (byte) (length >>> (MessageReader.PREFIX_LENGTH - 1 - i) * Byte.SIZE);
        }
        return bytes;
    }

    /**
     * {@return the message}
     *
     * @param bytes its bytes; they stay in the buffer
     * @param isCompressed whether they are compressed with gzip
     * @param maxBytes how many there may be after that
     * @param prototype an instance of its class
     * @throws IOException if they are no such message, or too many
     */
    static Message decode(IOBuf bytes, boolean isCompressed, long maxBytes, Message prototype)
            throws IOException {
        if (!isCompressed) {
            return ProtobufCodec.parse(bytes, prototype.getParserForType());
        }
        try (IOBuf original = bytes.pool().buffer()) {
            CompressType.GZIP.decompress(bytes, maxBytes, original);
            return ProtobufCodec.parse(original, prototype.getParserForType());
        }
    }
}
