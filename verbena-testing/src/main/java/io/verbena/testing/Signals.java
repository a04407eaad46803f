// SPDX-License-Identifier: Apache-2.0
package io.verbena.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Signals to other processes. */
public final class Signals {
    private Signals() {}

    /**
     * Sends a signal.
     *
     * @param pid the process
     * @param name as {@code kill} takes it, without SIG
     * @throws InterruptedException if this thread was interrupted
     */
    public static void send(long pid, String name) throws InterruptedException {
        try {
            Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start();
            assertThat(kill.waitFor()).as("kill -%s %s", name, pid).isZero();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Stops a process immediately, and waits until none of its threads runs.
     *
     * @param pid the process
     * @throws InterruptedException if this thread was interrupted
     */
    public static void stop(long pid) throws InterruptedException {
        send(pid, "STOP");
        while (!isStopped(pid)) {
            Thread.onSpinWait();
        }
    }

    /**
     * Resumes a process that was stopped.
     *
     * @param pid the process
     * @throws InterruptedException if this thread was interrupted
     */
    public static void resume(long pid) throws InterruptedException {
        send(pid, "CONT");
    }

    private static boolean isStopped(long pid) {
        try (Stream<Path> threads = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
            return threads.allMatch(Signals::isStopped);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isStopped(Path thread) {
        try {
            String stat = Files.readString(thread.resolve("stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2) == 'T';
        } catch (IOException e) {
            // it has ended since it was listed
            return true;
        }
    }
}
