// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import java.util.Optional;

/** The messages of a socket as one stream of bytes. One thread at a time. */
final class SocketInput extends InputStream {
    private final RdmaSocket socket;
    private Optional<IncomingMessage> current = Optional.empty();
    private int position;

    SocketInput(RdmaSocket socket) {
        this.socket = socket;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        if (length == 0) {
            return 0;
        }
        if (!hasBytes()) {
            return -1;
        }
        IncomingMessage message = current.get();
        int count = Math.min(length, message.length() - position);
        MemorySegment.copy(message.memory(), ValueLayout.JAVA_BYTE, position, bytes, offset, count);
        position += count;
        if (position == message.length()) {
            drop();
        }
        return count;
    }

    /** {@return whether there are bytes left, waiting for them if necessary} */
    private boolean hasBytes() throws IOException {
        while (current.isEmpty()) {
            current = socket.receiveMessage();
            if (current.isEmpty()) {
                return false;
            }
            if (current.get().length() == 0) {
                drop();
            }
        }
        return true;
    }

    private void drop() {
        current.ifPresent(IncomingMessage::close);
        current = Optional.empty();
        position = 0;
    }

    @Override
    public int available() {
        return current.map(m -> m.length() - position).orElse(0);
    }

    @Override
    public void close() throws IOException {
        drop();
        socket.close();
    }
}
