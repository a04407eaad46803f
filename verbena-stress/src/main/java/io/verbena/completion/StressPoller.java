// SPDX-License-Identifier: Apache-2.0
package io.verbena.completion;

import io.verbena.verbs.CompletionQueue;
import java.util.Optional;

/** A poller without a thread, with which threads park at once: it only counts them. */
final class StressPoller implements PollerWork {
    private final Poller poller =
            new Poller("stress", null, this, new PollerOptions(false, false, 0));

    Poller poller() {
        return poller;
    }

    /** {@return whether nobody is counted any more} */
    boolean isDeserted() {
        return poller.toString().endsWith(": 0 polling, 0 parked, 0 resuming");
    }

    /** A waiter of the calling thread. */
    static final class StressWaiter extends Waiter {
        private int interrupts;

        void finish() {
            end();
        }

        /** {@return how many interrupts it was told of} The thread that waits. */
        int interrupts() {
            return interrupts;
        }

        void await(StressPoller at) {
            await(Optional.of(at.poller));
        }

        @Override
        protected void onInterrupt() {
            interrupts++;
        }
    }

    @Override
    public int pass() {
        return 0;
    }

    @Override
    public void flush() {}

    @Override
    public boolean hasCalls() {
        return false;
    }

    @Override
    public void runCalls() {}

    @Override
    public void arm() {}

    @Override
    public boolean isWatching() {
        return false;
    }

    @Override
    public boolean isInUse() {
        return false;
    }

    @Override
    public void onRest() {}

    @Override
    public void onEvent(CompletionQueue queue) {}

    @Override
    public boolean mayEnd() {
        return true;
    }

    @Override
    public void onEnd() {}
}
