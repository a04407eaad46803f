// SPDX-License-Identifier: Apache-2.0
package io.verbena.completion;

import java.util.concurrent.atomic.AtomicInteger;

/** Counts the interrupts that it was told of. */
class TestWaiter extends Waiter {
    private final AtomicInteger interrupts = new AtomicInteger();

    /** Ends the wait. */
    void finish() {
        end();
    }

    int interrupts() {
        return interrupts.get();
    }

    @Override
    protected void onInterrupt() {
        interrupts.incrementAndGet();
    }
}
