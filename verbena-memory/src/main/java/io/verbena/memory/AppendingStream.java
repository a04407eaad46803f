// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import java.io.OutputStream;

/** An output stream that appends to a buffer. */
final class AppendingStream extends OutputStream {
    private final IOBuf buffer;

    AppendingStream(IOBuf buffer) {
        this.buffer = buffer;
    }

    @Override
    public void write(int value) {
        buffer.append(new byte[] {(byte) value});
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
        buffer.append(bytes, offset, length);
    }
}
