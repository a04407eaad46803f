// SPDX-License-Identifier: Apache-2.0

package io.verbena.tools;

import java.io.IOException;
import java.io.OutputStream;

/**
 * Ends this JVM when the one that started it is gone. The parent holds the other end of standard
 * input and never writes: end of file means that the parent has ended, for whatever reason.
 */
public final class ParentWatch {
    private ParentWatch() {}

    /** Starts watching; for commands that only run in a {@link ChildProcess}. */
    public static void start() {
        Thread.ofPlatform().daemon().name("parent-watch").start(ParentWatch::awaitEnd);
    }

    private static void awaitEnd() {
        try {
            // The parent writes nothing; anything that arrives is not for this program.
            System.in.transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            System.err.println("verbena: standard input: " + e.getMessage());
        }
        System.exit(0);
    }
}
