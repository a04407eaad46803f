// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import java.lang.reflect.Method;

/**
 * Counts what the current thread has allocated on the heap. By reflection: the module under test
 * does not read the management modules, and should not.
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

    /** {@return the bytes the current thread has allocated since it began} */
    static long now() {
        try {
            return (long) COUNT.invoke(THREADS);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("the count of allocated bytes", e);
        }
    }
}
