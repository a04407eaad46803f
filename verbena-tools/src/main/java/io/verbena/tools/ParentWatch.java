// SPDX-License-Identifier: Apache-2.0

package io.verbena.tools;

import java.io.IOException;
import java.io.OutputStream;

/**
 * Ends this JVM when the one that started it is gone. The parent holds the other end of standard
 * input and never writes: its end of file means that the parent ended, however it did.
 */
public final class ParentWatch {
    private ParentWatch() {}

    /** Starts to watch; to be called by commands that only a {@link ChildProcess} runs. */
    public static void start() {
        Thread.ofPlatform().daemon().name("parent-watch").start(ParentWatch::awaitEnd);
    }

    private static void awaitEnd() {
        try {
            // The parent writes nothing; whatever came would not be for this program.
            System.in.transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            System.err.println("verbena: standard input: " + e.getMessage());
        }
        System.exit(0);
    }
}
