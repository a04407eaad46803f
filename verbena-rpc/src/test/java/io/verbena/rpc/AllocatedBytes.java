// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.lang.reflect.Method;

/**
 * Counts what threads have allocated on the heap. By reflection: the module under test does not
 * read the management modules, and should not.
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
                            .getMethod("getThreadAllocatedBytes", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private AllocatedBytes() {}

    /** {@return the bytes a thread has allocated since it began} */
    static long of(Thread thread) {
        try {
            return (long) COUNT.invoke(THREADS, thread.threadId());
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("the count of allocated bytes", e);
        }
    }
}
