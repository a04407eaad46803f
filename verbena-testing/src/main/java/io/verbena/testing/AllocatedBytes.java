// SPDX-License-Identifier: Apache-2.0
package io.verbena.testing;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** Counts what threads allocate on the heap. */
public final class AllocatedBytes {
    private static final int RUNS = 300;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private AllocatedBytes() {}

    /** {@return the bytes the current thread has allocated since it began} */
    public static long now() {
        return THREADS.getCurrentThreadAllocatedBytes();
    }

    /**
     * {@return the bytes a thread has allocated since it began}
     *
     * @param thread a running platform thread
     */
    public static long by(Thread thread) {
        return THREADS.getThreadAllocatedBytes(thread.threadId());
    }

    /**
     * {@return the least that a run allocates, over several runs; the cost of counting is
     * subtracted}
     *
     * @param work what to run, on this thread
     */
    public static long leastOf(Runnable work) {
        return least(work) - least(() -> {});
    }

    private static long least(Runnable work) {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < RUNS; i++) {
            long before = now();
            work.run();
            least = Math.min(least, now() - before);
        }
        return least;
    }
}
