// SPDX-License-Identifier: Apache-2.0
package io.verbena.completion;

import io.verbena.verbs.CompletionQueue;

/**
 * What a {@link Poller} moves along. Methods that are called "inside the turn" are called by one
 * thread at a time, and see what the one before did.
 */
public interface PollerWork {
    /** {@return how much was done: polls every queue once, and runs what other threads left} */
    int pass();

    /** Sends what was written to be sent by the next pass. Any thread. */
    void flush();

    /** {@return whether another thread has left something to run inside the turn} Any thread. */
    boolean hasCalls();

    /** Runs what other threads have left. Inside the turn. */
    void runCalls();

    /** Asks every queue for an event. Inside the turn. */
    void arm();

    /**
     * {@return whether something must be looked at from time to time} Inside the turn. If that
     * changes to true, the poller must be woken.
     */
    boolean isWatching();

    /** {@return whether anything can complete} If not, a poller that never sleeps does. */
    boolean isInUse();

    /** Nothing happens for a while: gives back what need not be held. Inside the turn. */
    void onRest();

    /**
     * An event was taken from the channel. The poller's thread.
     *
     * @param queue whose
     */
    void onEvent(CompletionQueue queue);

    /** {@return whether the poller may end, once it was stopped} Inside the turn. */
    boolean mayEnd();

    /** The last call. Inside the turn, which nobody enters any more. */
    void onEnd();
}
