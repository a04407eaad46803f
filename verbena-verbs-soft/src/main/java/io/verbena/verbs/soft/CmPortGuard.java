// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets one thread of one process at a time change the listening sockets of a directory: whether a
 * socket file is stale, its removal and its replacement must be one step. Held for microseconds,
 * and the kernel frees it if its holder is killed.
 */
final class CmPortGuard {
    /** What is done under the guard. */
    interface Action<T> {
        T run() throws IOException;
    }

    // A file lock belongs to the process, and closing any channel of the file gives it up: within
    // the process another lock must keep the others away from the file. It guards nothing else.
    private static final ReentrantLock THIS_PROCESS = new ReentrantLock();

    private CmPortGuard() {}

    static <T> T call(SoftDirectory directory, Action<T> action) throws IOException {
        Path file = directory.path().resolve("cm.lock");
        // An interrupted thread could not take the file lock: see FileLockInterruptionException.
        boolean interrupted = Thread.interrupted();
        THIS_PROCESS.lock();
        try (FileChannel channel =
                        FileChannel.open(
                                file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                var _ = channel.lock()) {
            return action.run();
        } finally {
            THIS_PROCESS.unlock();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
