// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for what another thread will do, and says what it found instead if it does not. */
public final class Eventually {
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(30);
    private static final long PAUSE_NS = 200_000;

    private Eventually() {}

    public static void become(BooleanSupplier condition, Supplier<?> found) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start > LIMIT_NS) {
                throw new AssertionError("not in time; found: " + found.get());
            }
            LockSupport.parkNanos(PAUSE_NS);
        }
    }

    public static <T> void be(T expected, Supplier<T> actual) {
        become(() -> expected.equals(actual.get()), () -> actual.get() + " for " + expected);
    }
}
