// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Mutual exclusion without waiting on the fast path: a second thread leaves its work to the holder,
 * and the holder does not leave before that work is done.
 *
 * <p>Everything a queue pair's engine does happens inside its turn. Posting and polling threads use
 * {@link #tryEnter}; only control operations {@link #enter} and wait, and a turn is short.
 */
final class Turn {
    private static final int FREE = 0;
    private static final int BUSY = 1;
    private static final int BUSY_AGAIN = 2;
    private static final int CLOSED = 3;
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Turn.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
        rehearse();
    }

    @SuppressWarnings("unused") // accessed through STATE
    private volatile int state;

    /**
     * Takes every step once. The JVM links each use of a handle when it first runs, which takes
     * memory: a thread that then found none could not leave, and nobody would ever enter again.
     */
    private static void rehearse() {
        Turn turn = new Turn();
        boolean _ = turn.tryEnter();
        boolean _ = turn.tryEnter();
        boolean _ = turn.tryExit();
        boolean _ = turn.tryExit();
        boolean _ = turn.enter();
        turn.closeFromInside();
    }

    /**
     * {@return whether the caller is inside now} If not, the holder will see what the caller
     * published before this call, and do so before it leaves; or the turn is closed.
     */
    boolean tryEnter() {
        while (true) {
            int seen = (int) STATE.getVolatile(this);
            if (seen == FREE) {
                if (STATE.compareAndSet(this, FREE, BUSY)) {
                    return true;
                }
            } else if (seen == CLOSED || STATE.compareAndSet(this, seen, BUSY_AGAIN)) {
                // writes even if the value is the same: merely reading BUSY_AGAIN may happen before
                // the caller's own stores are visible, and the holder would miss them
                return false;
            }
        }
    }

    /**
     * {@return whether the caller has left} If not, another thread left work for it: do that and
     * try again.
     */
    boolean tryExit() {
        if (STATE.compareAndSet(this, BUSY, FREE)) {
            return true;
        }
        if ((int) STATE.getVolatile(this) == CLOSED) {
            return true;
        }
        STATE.getAndSet(this, BUSY);
        return false;
    }

    /** Waits to enter; {@return false if the turn is closed} For control operations only. */
    boolean enter() {
        for (int tries = 0; ; tries++) {
            int seen = (int) STATE.getVolatile(this);
            if (seen == CLOSED) {
                return false;
            }
            if (seen == FREE && STATE.compareAndSet(this, FREE, BUSY)) {
                return true;
            }
            Backoff.pause(tries);
        }
    }

    /** Closes the turn for good; only from inside. Nobody enters any more. */
    void closeFromInside() {
        STATE.setVolatile(this, CLOSED);
    }
}
