// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.wire;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.MessageLite;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;

/**
 * Writes messages into arrays, all through a single protobuf stream: a stream to an array would
 * serve only one message. This costs an extra copy, which does not matter for short messages.
 *
 * <p>Threads: one at a time.
 */
final class MessageEncoder extends OutputStream {
    private static final byte[] NOWHERE = {};

    private final int bufferSize;
    private CodedOutputStream stream;
    private byte[] target = NOWHERE;
    private int at;
    private int end;

    /**
     * An encoder.
     *
     * @param bufferSize the size of the stream's buffer; longer messages are copied in several
     *     parts
     */
    MessageEncoder(int bufferSize) {
        this.bufferSize = bufferSize;
        this.stream = CodedOutputStream.newInstance(this, bufferSize);
    }

    /**
     * Writes a message.
     *
     * @param message the message
     * @param array the target
     * @param offset the offset of the first byte
     * @param length the length of the message
     * @throws UncheckedIOException if that is not its length
     */
    void encode(MessageLite message, byte[] array, int offset, int length) {
        target = array;
        at = offset;
        end = offset + length;
        boolean isWhole = false;
        try {
            message.writeTo(stream);
            stream.flush();
            isWhole = at == end;
            if (!isWhole) {
                throw new IOException("bytes: " + (at - offset) + " (expected: its own size)");
            }
        } catch (IOException e) {
            throw new UncheckedIOException("message of " + length + " bytes: " + e.getMessage(), e);
        } finally {
            target = NOWHERE;
            if (!isWhole) {
                // the rest of this message must not precede the next one
                stream = CodedOutputStream.newInstance(this, bufferSize);
            }
        }
    }

    @Override
    public void write(int value) throws IOException {
        throw new UnsupportedOperationException("protobuf writes arrays");
    }

    @Override
    public void write(byte[] source, int offset, int length) throws IOException {
        if (length > end - at) {
            throw new IOException("bytes: " + length + " (expected: at most " + (end - at) + ")");
        }
        System.arraycopy(source, offset, target, at, length);
        at += length;
    }
}
