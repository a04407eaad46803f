// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import com.google.protobuf.UnsafeByteOperations;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;

/**
 * Moves protobuf messages in and out of an {@link IOBuf}, with as few arrays in between as protobuf
 * allows: one of the message's length to parse it, none to write one that fits in a block. The only
 * class that needs protobuf-java.
 */
public final class ProtobufCodec {
    /**
     * How much protobuf collects before it writes, for a message that does not fit in one block.
     */
    private static final int STREAM_BUFFER = 4096;

    private ProtobufCodec() {}

    /**
     * {@return the message parsed from all bytes of a buffer; they stay in the buffer}
     *
     * <p>Protobuf reads from arrays only: given native memory, it makes the array itself. The bytes
     * are copied once, to an array that fields of type bytes then refer to; otherwise protobuf
     * would copy such fields twice.
     *
     * @param <M> the message's class
     * @param buffer what to parse; to parse a part, cut it first
     * @param parser of the message's class
     * @throws InvalidProtocolBufferException if the bytes are not such a message
     */
    @SuppressWarnings("exports") // callers have protobuf
    public static <M extends MessageLite> M parse(IOBuf buffer, Parser<M> parser)
            throws InvalidProtocolBufferException {
        CodedInputStream input =
                UnsafeByteOperations.unsafeWrap(buffer.toByteArray()).newCodedInput();
        // nobody else has the array, so fields may refer to it
        input.enableAliasing(true);
        M message = parser.parseFrom(input);
        input.checkLastTagWas(0);
        return message;
    }

    /**
     * Appends a message to a buffer.
     *
     * <p>A message that fits in a block is written in place. A longer one passes through a small
     * array of fixed size, except for byte fields longer than that, which are copied directly;
     * protobuf encodes a long text field to an array of its own.
     *
     * @param message what to append
     * @param buffer where to
     * @throws BlockPoolException ENOMEM if the pool has no block left; the buffer is as before
     */
    @SuppressWarnings("exports") // callers have protobuf
    public static void append(MessageLite message, IOBuf buffer) {
        int size = message.getSerializedSize();
        long before = buffer.size();
        boolean isDone = false;
        try {
            if (size <= buffer.chain().blockBytes()) {
                writeInPlace(message, size, buffer);
            } else {
                writeThrough(message, buffer);
            }
            isDone = true;
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "message does not match its own size " + size + ": " + e.getMessage(), e);
        } finally {
            // whatever was thrown: the message's code may throw anything
            if (!isDone) {
                buffer.chain().undo(before);
            }
        }
    }

    private static void writeInPlace(MessageLite message, int size, IOBuf buffer)
            throws IOException {
        if (size == 0) {
            return;
        }
        PieceChain chain = buffer.chain();
        chain.tailRoom(size);
        ByteBuffer room = chain.tailBase().asSlice(chain.tailOffset(), size).asByteBuffer();
        CodedOutputStream output = CodedOutputStream.newInstance(room);
        message.writeTo(output);
        output.flush();
        output.checkNoSpaceLeft();
        chain.tailWritten(size);
    }

    private static void writeThrough(MessageLite message, IOBuf buffer) throws IOException {
        CodedOutputStream output =
                CodedOutputStream.newInstance(new AppendingStream(buffer), STREAM_BUFFER);
        message.writeTo(output);
        output.flush();
    }
}
