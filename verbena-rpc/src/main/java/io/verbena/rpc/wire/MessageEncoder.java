// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.wire;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.MessageLite;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;

/**
 * Writes messages into arrays, all through one stream of protobuf's: a stream to an array serves
 * one message only. The bytes are copied once more for it, which short messages do not notice.
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
     * @param bufferSize longer messages take more than one copy
     */
    MessageEncoder(int bufferSize) {
        this.bufferSize = bufferSize;
        this.stream = CodedOutputStream.newInstance(this, bufferSize);
    }

    /**
     * Writes a message.
     *
     * @param message which
     * @param array where to
     * @param offset of its first byte
     * @param length of the message
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
                throw new IOException("bytes: " + (at - offset));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("message does not match its own size " + length, e);
        } finally {
            target = NOWHERE;
            if (!isWhole) {
                // what is left of the message must not come before the next
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
