// SPDX-License-Identifier: Apache-2.0

package io.verbena.lab;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** What a program has printed to both of its streams, in complete lines. */
final class PrintedLines {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final List<String> lines = new ArrayList<>();
    private int open = 2;

    void add(String line) {
        lock.lock();
        try {
            lines.add(line);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** One of the two streams has ended. */
    void endStream() {
        lock.lock();
        try {
            open--;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    List<String> all() {
        lock.lock();
        try {
            return List.copyOf(lines);
        } finally {
            lock.unlock();
        }
    }

    /** {@return the first line with the given start, or nothing if none comes in time or at all} */
    Optional<String> tryAwait(String start, Duration limit) throws InterruptedException {
        long left = limit.toNanos();
        lock.lock();
        try {
            while (true) {
                Optional<String> line =
                        lines.stream().filter(text -> text.startsWith(start)).findFirst();
                if (line.isPresent() || open == 0 || left <= 0) {
                    return line;
                }
                left = changed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }
}
