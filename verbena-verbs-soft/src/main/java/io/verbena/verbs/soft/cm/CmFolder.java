// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft.cm;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The folder with the listening sockets.
 *
 * <p>Only one thread of one process at a time changes them, see {@link #guard}: checking whether a
 * socket file is stale, removing it and replacing it must be one step. The guard is held for
 * microseconds, and the kernel frees it if its holder is killed.
 *
 * @param path the folder
 */
record CmFolder(Path path) {
    /** Matches the name of every {@link #socket}. */
    static final String SOCKETS = "cm-*.sock";

    /** An action under the guard. */
    interface Action<T> {
        T run() throws IOException;
    }

    private static final int LAST_PORT = 65535;

    // A file lock belongs to the process, and closing any channel on the file releases it. So this
    // lock keeps the other threads of the process away from the file. It guards nothing else.
    private static final ReentrantLock THIS_PROCESS = new ReentrantLock();

    /** {@return the socket of the listener on a port} */
    Path socket(int port) {
        if (port < 1 || port > LAST_PORT) {
            throw new IllegalArgumentException(
                    "port: " + port + " (expected: 1.." + LAST_PORT + ")");
        }
        return path.resolve("cm-" + port + ".sock");
    }

    /**
     * {@return the result of an action, run without interference from other threads or processes}
     */
    <T> T guard(Action<T> action) throws IOException {
        Path file = path.resolve("cm.lock");
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
