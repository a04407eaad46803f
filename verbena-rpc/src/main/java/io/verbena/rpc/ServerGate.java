// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Admits calls to a server until it is shut, and knows when everything admitted is done. Any
 * thread.
 *
 * <p>Two things keep a server busy: a call, until it is answered; and an answer that is collected
 * with others or waits for its turn, until it has been passed to the connection. One word counts
 * both and says whether the gate is shut. So a call learns on entry whether it was in time, and the
 * thread that brings the count to zero behind a shut gate is the last. A late call is counted only
 * until it has left again.
 *
 * <pre>
 *   63     62 .. 32          31 .. 0
 *   shut   unsent answers    calls
 * </pre>
 */
final class ServerGate {
    /** Returned instead of a number of calls: the gate is shut. */
    static final int REFUSED = -1;

    private static final long SHUT = Long.MIN_VALUE;
    private static final long CALL = 1;
    private static final long ANSWER = 1L << 32;

    private final AtomicLong state = new AtomicLong();
    private final CountDownLatch done = new CountDownLatch(1);

    /** {@return how many calls are inside, including this one, or {@link #REFUSED}} */
    int enter() {
        long now = state.addAndGet(CALL);
        if (now < 0) {
            remove(CALL);
            return REFUSED;
        }
        return (int) now;
    }

    /** A call is answered, and the answer has been passed to the connection. */
    void leave() {
        remove(CALL);
    }

    /** A call is answered; the answer counts from now on, until {@link #sent}. */
    void leaveUnsent() {
        state.addAndGet(ANSWER - CALL);
    }

    /**
     * {@return whether a future answer now counts, until {@link #sent}; false if the gate is shut}
     */
    boolean tryHold() {
        if (state.addAndGet(ANSWER) < 0) {
            remove(ANSWER);
            return false;
        }
        return true;
    }

    /** Answers that counted as one have been passed to the connection, or it accepts no more. */
    void sent() {
        remove(ANSWER);
    }

    private void remove(long one) {
        if (state.addAndGet(-one) == SHUT) {
            done.countDown();
        }
    }

    /** Admits nothing from now on. Idempotent. */
    void shut() {
        if (state.getAndUpdate(now -> now | SHUT) == 0) {
            done.countDown();
        }
    }

    boolean isShut() {
        return state.get() < 0;
    }

    /** {@return how many calls are inside} */
    int calls() {
        return (int) state.get();
    }

    /** Waits until the gate is shut and everything admitted is done. */
    void awaitDone() throws InterruptedException {
        done.await();
    }

    /** {@return whether the gate is shut and everything admitted is done, within a time limit} */
    boolean awaitDone(Duration limit) throws InterruptedException {
        return done.await(limit.toNanos(), TimeUnit.NANOSECONDS);
    }
}
