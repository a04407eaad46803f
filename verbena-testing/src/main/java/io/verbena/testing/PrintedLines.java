// SPDX-License-Identifier: Apache-2.0

package io.verbena.testing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** What a program has printed to both of its streams, line by line. Threads: any. */
public final class PrintedLines {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final List<String> lines = new ArrayList<>();
    private int open = 2;
    private int taken;

    PrintedLines() {}

    /**
     * Adds a line.
     *
     * @param line without its end
     */
    public void add(String line) {
        lock.lock();
        try {
            lines.add(line);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** One of the two streams has come to its end. */
    public void endStream() {
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

    /** {@return the first line that starts with something, unless none comes in time or at all} */
    Optional<String> tryAwait(String start, Duration limit) throws InterruptedException {
        return tryAwait(
                limit, () -> lines.stream().filter(line -> line.startsWith(start)).findFirst());
    }

    /** {@return the first line that no call before this one has returned, unless none comes} */
    Optional<String> tryTake(Duration limit) throws InterruptedException {
        return tryAwait(
                limit,
                () -> taken == lines.size() ? Optional.empty() : Optional.of(lines.get(taken++)));
    }

    private Optional<String> tryAwait(Duration limit, Supplier<Optional<String>> look)
            throws InterruptedException {
        long left = limit.toNanos();
        lock.lock();
        try {
            while (true) {
                Optional<String> line = look.get();
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
