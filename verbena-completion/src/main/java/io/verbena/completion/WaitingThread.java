// SPDX-License-Identifier: Apache-2.0
package io.verbena.completion;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * A thread that waits for something that a poller delivers, as the poller sees it.
 *
 * <pre>
 *                park             end
 *     RUNNING ----------&gt; PARKED -----&gt; OVER      end leads to OVER from every state
 *        ^                   |
 *        |   resume          | call: it polls in place of a thread that leaves,
 *        +------- CALLED &lt;---+       or looks again whether it still has to wait
 * </pre>
 */
abstract sealed class WaitingThread permits Waiter, WaitingPlace {
    /** No deadline. */
    static final long NEVER = Long.MAX_VALUE;

    private static final int RUNNING = 0;
    private static final int PARKED = 1;
    private static final int CALLED = 2;
    private static final int OVER = 3;
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(WaitingThread.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Written, like {@code parkedAt}, before PARKED and read after that was seen. */
    private Thread thread = Thread.currentThread();

    /** Where it is counted while it is parked. */
    private Optional<Poller> parkedAt = Optional.empty();

    /** Whether it has polled for its full time and found nothing, for anybody. Its own. */
    private boolean hasPolledInVain;

    private volatile int state;

    /** {@return whether it need not wait any longer} The waiting thread. */
    abstract boolean isOver();

    /** The calling thread is the one that waits, from now on. */
    final void enter() {
        thread = Thread.currentThread();
    }

    final boolean hasEnded() {
        return state == OVER;
    }

    /** It need not wait any longer, ever. */
    final void endWait() {
        int before = (int) STATE.getAndSet(this, OVER);
        if (before == PARKED) {
            parkedAt.ifPresent(at -> at.drivers().onParkedOver());
            LockSupport.unpark(thread);
        }
    }

    /**
     * Parks until it is over, called or interrupted, or the time has come. The waiting thread.
     *
     * @param poller what delivers, or nothing if its threads need no help
     * @param deadlineNs of {@link System#nanoTime}, or {@link #NEVER}
     */
    final void park(Optional<Poller> poller, long deadlineNs) {
        parkedAt = poller;
        // counted before anybody can end it, so that the count never falls below zero
        poller.ifPresent(at -> at.drivers().onParking());
        if (!STATE.compareAndSet(this, RUNNING, PARKED)) {
            poller.ifPresent(at -> at.drivers().onParkedBack());
            return;
        }
        poller.ifPresent(at -> at.drivers().onParked(this));
        while (state == PARKED && !isOver() && !thread.isInterrupted() && !isPast(deadlineNs)) {
            if (deadlineNs == NEVER) {
                LockSupport.park(this);
            } else {
                LockSupport.parkNanos(this, deadlineNs - System.nanoTime());
            }
        }
        poller.ifPresent(at -> at.drivers().onResume(this));
        if (STATE.compareAndSet(this, PARKED, RUNNING)) {
            poller.ifPresent(at -> at.drivers().onParkedBack());
            return;
        }
        // false if it is over
        STATE.compareAndSet(this, CALLED, RUNNING);
        poller.ifPresent(at -> at.drivers().onRunning());
    }

    static boolean isPast(long deadlineNs) {
        return deadlineNs != NEVER && deadlineNs - System.nanoTime() <= 0;
    }

    /** {@return whether it is parked and now resumes to poll, for other threads too} */
    final boolean tryCall() {
        if (state != PARKED || !STATE.compareAndSet(this, PARKED, CALLED)) {
            return false;
        }
        LockSupport.unpark(thread);
        return true;
    }

    final boolean hasPolledInVain() {
        return hasPolledInVain;
    }

    final void hasPolledInVain(boolean value) {
        hasPolledInVain = value;
    }

    /** {@return whether resuming it costs no system call} */
    final boolean isVirtual() {
        return thread.isVirtual();
    }

    /** {@return a number that spreads threads} */
    final int spread() {
        return (int) thread.threadId();
    }
}
