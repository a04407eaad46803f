// SPDX-License-Identifier: Apache-2.0

package io.verbena.lab;

import io.verbena.testing.PrintedLines;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Splits what is written to it into lines. Write to it only through a stream that locks. */
final class LineSplitter extends OutputStream {
    private final PrintedLines lines;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();

    LineSplitter(PrintedLines lines) {
        this.lines = lines;
    }

    @Override
    public void write(int value) {
        if (value == '\n') {
            lines.add(line.toString(StandardCharsets.UTF_8));
            line.reset();
        } else {
            line.write(value);
        }
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
        for (int i = offset; i < offset + length; i++) {
            write(bytes[i]);
        }
    }

    @Override
    public void close() {
        if (line.size() > 0) {
            write('\n');
        }
        lines.endStream();
    }
}
