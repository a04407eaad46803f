// SPDX-License-Identifier: Apache-2.0

package io.verbena.lab;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;

/**
 * Gives each of the commands that run in parallel in this JVM its own standard streams. They are
 * used by the thread that runs the command and the threads it starts.
 */
final class StandardStreams {
    private static final PrintStream OUT = System.out;
    private static final PrintStream ERR = System.err;
    private static final InheritableThreadLocal<PrintStream> OWN_OUT =
            new InheritableThreadLocal<>();
    private static final InheritableThreadLocal<PrintStream> OWN_ERR =
            new InheritableThreadLocal<>();

    static {
        System.setOut(choosing(() -> OWN_OUT.get() == null ? OUT : OWN_OUT.get()));
        System.setErr(choosing(() -> OWN_ERR.get() == null ? ERR : OWN_ERR.get()));
    }

    private StandardStreams() {}

    static void ofThisThread(PrintStream out, PrintStream err) {
        OWN_OUT.set(out);
        OWN_ERR.set(err);
    }

    private static PrintStream choosing(Supplier<PrintStream> choice) {
        return new PrintStream(new Choosing(choice), true, StandardCharsets.UTF_8);
    }

    /** Writes on the printing thread: the stream around it flushes before it returns. */
    private static final class Choosing extends OutputStream {
        private final Supplier<PrintStream> choice;

        Choosing(Supplier<PrintStream> choice) {
            this.choice = choice;
        }

        @Override
        public void write(int value) {
            choice.get().write(value);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            choice.get().write(bytes, offset, length);
        }

        @Override
        public void flush() {
            choice.get().flush();
        }
    }
}
