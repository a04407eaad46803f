// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import java.lang.reflect.Method;

/**
 * Counts what the current thread allocates on the heap. By reflection: the module under test does
 * not read the management modules, and should not.
 */
final class AllocatedBytes {
    private static final Object THREADS;
    private static final Method COUNT;

    static {
        try {
            THREADS =
                    Class.forName("java.lang.management.ManagementFactory")
                            .getMethod("getThreadMXBean")
                            .invoke(null);
            COUNT =
                    Class.forName("com.sun.management.ThreadMXBean")
                            .getMethod("getCurrentThreadAllocatedBytes");
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private AllocatedBytes() {}

    /** {@return the least a run allocates, over several runs; what counting costs is left out} */
    static long of(Runnable work) {
        return least(work) - least(() -> {});
    }

    private static long least(Runnable work) {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 300; i++) {
            long before = now();
            work.run();
            least = Math.min(least, now() - before);
        }
        return least;
    }

    private static long now() {
        try {
            return (long) COUNT.invoke(THREADS);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("the count of allocated bytes", e);
        }
    }
}
