// SPDX-License-Identifier: Apache-2.0
package io.verbena.completion;

import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Where one thread at a time waits until something holds that a poller's work makes true. Like a
 * {@link Waiter} it polls for a while, then parks; unlike one it is used again and again, by any
 * thread, and has a deadline.
 *
 * <p>Threads: one at a time waits; any signals.
 */
public final class WaitingPlace extends WaitingThread {
    /** No deadline. */
    public static final long FOREVER = NEVER;

    private final Optional<Poller> poller;
    private BooleanSupplier condition = () -> true;

    /**
     * A place where nobody waits.
     *
     * @param poller what makes the conditions true
     */
    public WaitingPlace(Poller poller) {
        this.poller = Optional.of(poller);
    }

    @Override
    boolean isOver() {
        return condition.getAsBoolean();
    }

    /**
     * Waits until a condition holds.
     *
     * @param awaited called by this thread only; each change that may make it true is followed by
     *     {@link #signal}
     * @param deadlineNs of {@link System#nanoTime}, or {@link #FOREVER}
     * @return whether it holds; false if the time is up
     * @throws InterruptedException if the thread is interrupted and it does not hold
     */
    public boolean await(BooleanSupplier awaited, long deadlineNs) throws InterruptedException {
        enter();
        condition = awaited;
        while (!poller.get().drivers().drive(this)) {
            park(poller, deadlineNs);
            if (isOver()) {
                return true;
            }
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            if (isPast(deadlineNs)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Something changed. The caller has a full fence between the change and this call. Any thread;
     * cheap if nobody is parked.
     */
    public void signal() {
        if (tryCall()) {
            poller.get().drivers().onParkedOver();
        }
    }
}
