// SPDX-License-Identifier: Apache-2.0
package io.verbena.completion;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * A thread that waits for something that a poller delivers. It polls itself for a while, then
 * parks.
 *
 * <pre>
 *                park             end
 *     RUNNING ----------&gt; PARKED -----&gt; OVER      end leads to OVER from every state
 *        ^                   |
 *        |   resume          | call: it polls in place of a thread that leaves
 *        +------- CALLED &lt;---+
 * </pre>
 *
 * <p>Threads: made and awaited by the thread that waits; ended by any.
 */
public abstract class Waiter {
    private static final int RUNNING = 0;
    private static final int PARKED = 1;
    private static final int CALLED = 2;
    private static final int OVER = 3;
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Waiter.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Thread thread = Thread.currentThread();

    /** Where it is counted while it is parked. Written before PARKED, read after it was seen. */
    private Optional<Poller> parkedAt = Optional.empty();

    private volatile int state;

    /** Made by the thread that will wait. */
    protected Waiter() {}

    /** {@return whether the end has come} Any thread. */
    public final boolean isOver() {
        return state == OVER;
    }

    /** The end has come: what the caller wrote before is seen by the thread that waits. Once. */
    protected final void end() {
        int before = (int) STATE.getAndSet(this, OVER);
        if (before == PARKED) {
            parkedAt.ifPresent(Poller::onParkedOver);
            LockSupport.unpark(thread);
        }
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
            if (poller.isPresent() && poller.get().drive(this)) {
                break;
            }
            park(poller);
            if (Thread.interrupted()) {
                isInterrupted = true;
                onInterrupt();
            }
        }
        if (isInterrupted) {
            thread.interrupt();
        }
    }

    private void park(Optional<Poller> poller) {
        parkedAt = poller;
        // counted before anybody can end it, so that the count never falls below zero
        poller.ifPresent(Poller::onParking);
        if (!STATE.compareAndSet(this, RUNNING, PARKED)) {
            poller.ifPresent(Poller::onParkedBack);
            return;
        }
        poller.ifPresent(at -> at.onParked(this));
        while (state == PARKED && !thread.isInterrupted()) {
            LockSupport.park(this);
        }
        poller.ifPresent(at -> at.onResume(this));
        if (STATE.compareAndSet(this, PARKED, RUNNING)) {
            poller.ifPresent(Poller::onParkedBack);
            return;
        }
        // false if it is over
        STATE.compareAndSet(this, CALLED, RUNNING);
        poller.ifPresent(Poller::onRunning);
    }

    /** {@return whether it is parked and now resumes to poll, for other waiters too} */
    final boolean tryCall() {
        if (state != PARKED || !STATE.compareAndSet(this, PARKED, CALLED)) {
            return false;
        }
        LockSupport.unpark(thread);
        return true;
    }

    /** {@return whether resuming it costs no system call} */
    final boolean isVirtual() {
        return thread.isVirtual();
    }

    /** {@return a number that spreads waiters} */
    final int spread() {
        return (int) thread.threadId();
    }
}
