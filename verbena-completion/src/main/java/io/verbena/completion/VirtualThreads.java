// SPDX-License-Identifier: Apache-2.0
package io.verbena.completion;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Makes sure that virtual threads can be started later. The JVM initializes their class when the
 * first one is made; if there is no memory at that moment, it never tries again, and no virtual
 * thread can be made in this process any more.
 */
public final class VirtualThreads {
    private static final long MOMENT_NS = TimeUnit.MICROSECONDS.toNanos(1);

    static {
        // one that parks: that needs classes of its own
        Thread.ofVirtual().name("verbena-first").start(() -> LockSupport.parkNanos(MOMENT_NS));
    }

    private VirtualThreads() {}

    /** Starts the first one, unless that was done before. To be called while there is memory. */
    public static void prepare() {
        // the class is initialized by now
    }
}
