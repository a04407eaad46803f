// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Objects;

/** A socket as a stream of bytes: every write is a message, long ones are several. */
final class SocketOutput extends OutputStream {
    private static final int CHUNK = 1 << 20;

    private final RdmaSocket socket;

    SocketOutput(RdmaSocket socket) {
        this.socket = socket;
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        int chunk = Math.min(CHUNK, socket.maxMessageBytes());
        for (int done = 0; done < length; done += chunk) {
            socket.send(ByteBuffer.wrap(bytes, offset + done, Math.min(chunk, length - done)));
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
