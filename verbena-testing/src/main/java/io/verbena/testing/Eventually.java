// SPDX-License-Identifier: Apache-2.0
package io.verbena.testing;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Waits for something that another thread will do, and reports what it found instead if that does
 * not happen.
 */
public final class Eventually {
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(30);
    private static final long PAUSE_NS = 200_000;

    private Eventually() {}

    /**
     * Waits until a condition holds.
     *
     * @param condition checked by this thread
     * @param found what to say if it does not hold in time
     */
    public static void become(BooleanSupplier condition, Supplier<?> found) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start > LIMIT_NS) {
                throw new AssertionError("not in time; found: " + found.get());
            }
            LockSupport.parkNanos(PAUSE_NS);
        }
    }

    /**
     * Waits until a value is the expected one.
     *
     * @param expected the value it must become
     * @param actual reads the value
     * @param <T> its type
     */
    public static <T> void be(T expected, Supplier<T> actual) {
        become(() -> expected.equals(actual.get()), () -> actual.get() + " for " + expected);
    }
}
