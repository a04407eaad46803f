// SPDX-License-Identifier: Apache-2.0
package io.verbena.completion;

import java.util.Optional;

/**
 * A thread that waits, once, for something that a poller delivers. It polls itself for a while,
 * then parks. {@link WaitingPlace} is for threads that wait again and again.
 *
 * <p>Threads: made and awaited by the thread that waits; ended by any.
 */
public abstract non-sealed class Waiter extends WaitingThread {
    /** Made by the thread that will wait. */
    protected Waiter() {}

    /** {@return whether the end has come} Any thread. */
    @Override
    public final boolean isOver() {
        return hasEnded();
    }

    /** The end has come: what the caller wrote before is seen by the thread that waits. Once. */
    protected final void end() {
        endWait();
    }

    /** The waiting thread was interrupted; it keeps waiting for the end. */
    protected abstract void onInterrupt();

    /**
     * Waits for the end. An interrupt stays pending.
     *
     * @param poller what delivers the end, or nothing if its threads need no help
     */
    public final void await(Optional<Poller> poller) {
        boolean isInterrupted = false;
        while (!isOver()) {
            if (poller.isPresent() && poller.get().drivers().drive(this)) {
                break;
            }
            park(poller, NEVER);
            if (Thread.interrupted()) {
                isInterrupted = true;
                onInterrupt();
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
