// SPDX-License-Identifier: Apache-2.0
package io.verbena.completion;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * The right to poll, which one thread at a time holds. Nobody waits for it, except for rare
 * operations: a thread that finds it taken leaves its work where {@link PollerWork#hasCalls} finds
 * it, and the holder looks there after giving the turn back.
 */
final class PollingTurn {
    /** How long a thread that must have the turn waits before it tries again. */
    private static final long PAUSE_NS = 20_000;

    private static final VarHandle TAKEN;

    static {
        try {
            TAKEN = MethodHandles.lookup().findVarHandle(PollingTurn.class, "taken", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final String name;
    private final PollerWork work;
    private final Runnable wake;

    @SuppressWarnings("unused") // accessed through TAKEN
    private volatile int taken;

    /** The thread that holds the turn: only that thread finds itself here. */
    private Thread holder;

    private volatile boolean isEnded;

    /**
     * A turn that nobody holds.
     *
     * @param name the poller's, for the log
     * @param work what the holder does
     * @param wake makes sure that a thread will take the turn
     */
    PollingTurn(String name, PollerWork work, Runnable wake) {
        this.name = name;
        this.work = work;
        this.wake = wake;
    }

    /** {@return whether the calling thread holds the turn} */
    boolean isHolder() {
        return Thread.currentThread().equals(holder);
    }

    boolean tryEnter() {
        if (taken == 0 && TAKEN.compareAndSet(this, 0, 1)) {
            holder = Thread.currentThread();
            return true;
        }
        return false;
    }

    /** A full fence: the check for calls that follows sees one that was added before. */
    void leave() {
        giveBack();
        runCalls();
    }

    private void giveBack() {
        holder = null;
        TAKEN.setVolatile(this, 0);
    }

    /** Runs what other threads have left, unless another one holds the turn and will do so. */
    void runCalls() {
        while (work.hasCalls() && tryEnter()) {
            try {
                work.runCalls();
            } catch (Throwable e) { // whatever it is, this thread has nothing to do with it
                onFault(e);
                // there may be more calls, which nobody else knows of
                wake.run();
                return;
            } finally {
                giveBack();
            }
        }
    }

    /** {@return how much was found by polling once; 0 if another thread holds the turn} */
    int passIfFree() {
        if (!tryEnter()) {
            return 0;
        }
        try {
            return work.pass();
        } finally {
            leave();
        }
    }

    /**
     * {@return whether a task was run inside the turn; false if the poller has ended} Waits for the
     * turn, and is never called inside it.
     *
     * @param task what it throws reaches the caller
     */
    boolean run(Runnable task) {
        while (!tryEnter()) {
            if (isEnded) {
                return false;
            }
            // Park instead of spinning: the holder may be a virtual thread that needs this carrier
            // thread.
            LockSupport.parkNanos(PAUSE_NS);
        }
        try {
            task.run();
        } finally {
            leave();
        }
        return true;
    }

    /** Takes the turn for good: waiting threads find it taken from now on. */
    void end() {
        while (!tryEnter()) {
            Thread.yield();
        }
        isEnded = true;
        try {
            work.onEnd();
        } catch (Throwable e) {
            onFault(e);
        }
    }

    /** What is polled takes care of its own failures; this is a last resort. */
    void onFault(Throwable fault) {
        Faults.warn(Poller.class, "the polled work failed", name, fault);
    }
}
