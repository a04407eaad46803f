// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Waits by polling, up to a limit; a wait that hits the limit fails and prints the state of what
 * was awaited.
 */
public final class Patience {
    private static final int SPINS = 1000;

    private final Duration limit;

    /**
     * A patience with a limit.
     *
     * @param limit the longest wait
     */
    public Patience(Duration limit) {
        this.limit = limit;
    }

    /** {@return the longest wait} */
    public Duration limit() {
        return limit;
    }

    /**
     * Waits until something holds.
     *
     * @param what what is awaited, for the message
     * @param condition polled repeatedly by this thread
     * @param state what to print when the limit is hit
     */
    public void await(String what, BooleanSupplier condition, Supplier<String> state) {
        long start = System.nanoTime();
        int idle = 0;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start > limit.toNanos()) {
                throw new AssertionError(
                        "no " + what + " within " + limit.toMillis() + " ms; " + state.get());
            }
            pause(idle++);
        }
    }

    /**
     * Lets others run: spins at first, then yields, because there may be fewer cores than pollers.
     *
     * @param idle how many polls in a row found nothing
     */
    public static void pause(int idle) {
        if (idle < SPINS) {
            Thread.onSpinWait();
        } else {
            Thread.yield();
        }
    }
}
