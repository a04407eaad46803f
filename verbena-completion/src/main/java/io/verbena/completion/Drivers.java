// SPDX-License-Identifier: Apache-2.0
package io.verbena.completion;

/**
 * The threads that poll in place of the poller's own while they wait for a result: the result then
 * needs no wake-up. When one of them stops, another takes its place, or the poller's thread does.
 *
 * <p>Any thread.
 */
final class Drivers {
    /** Idle passes between two readings of the clock. */
    private static final int PASSES_PER_LOOK = 16;

    /** How long a waiting thread polls without letting others have the processor. */
    static final long BEFORE_YIELD_NS = 10_000;

    private final PollingTurn turn;
    private final PollerWork work;
    private final PollerOptions options;
    private final Waiters waiters;
    private final Leader leader;

    Drivers(
            PollingTurn turn,
            PollerWork work,
            PollerOptions options,
            Waiters waiters,
            Leader leader) {
        this.turn = turn;
        this.work = work;
        this.options = options;
        this.waiters = waiters;
        this.leader = leader;
    }

    /**
     * Polls in place of the poller's thread, for a while.
     *
     * @param waiter the calling thread's
     * @return whether the end of the waiter has come; otherwise it should park
     */
    boolean drive(WaitingThread waiter) {
        waiter.hasPolledInVain(false);
        if (options.spinNs() == 0 || !waiters.tryPoll()) {
            return waiter.isOver();
        }
        long findsBefore = waiters.finds();
        boolean isOver = false;
        try {
            isOver = waiter.isVirtual() ? spinOnCarrier(waiter) : spin(waiter);
        } finally {
            waiters.endPolling();
            // left by a thread that relied on this one to poll, after the last pass
            turn.runCalls();
            if (isOver || waiters.finds() != findsBefore) {
                replaceIfNeeded();
            } else {
                waiter.hasPolledInVain(true);
                giveBackIfNeeded();
            }
        }
        return isOver;
    }

    private boolean spin(WaitingThread waiter) {
        long startNs = 0;
        for (int i = 0; !waiter.isOver(); i++) {
            tryDrive();
            if ((i & PASSES_PER_LOOK - 1) != 0 || waiter.isOver()) {
                continue;
            }
            long now = System.nanoTime();
            if (startNs == 0) {
                startNs = now;
            } else if (now - startNs >= options.spinNs()) {
                return false;
            } else if (now - startNs >= BEFORE_YIELD_NS) {
                Thread.yield();
            }
        }
        return true;
    }

    /**
     * Like {@link #spin}, but lets virtual threads that were resumed have the carrier at once: they
     * are about to send something, and what they send is answered together.
     */
    private boolean spinOnCarrier(WaitingThread waiter) {
        long startNs = 0;
        for (int i = 0; !waiter.isOver(); i++) {
            tryDrive();
            if (waiter.isOver()) {
                return true;
            }
            if (waiters.isAnyResuming()) {
                Thread.yield();
            }
            if ((i & PASSES_PER_LOOK - 1) == 0) {
                long now = System.nanoTime();
                if (startNs == 0) {
                    startNs = now;
                } else if (now - startNs >= options.spinNs()) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Polls once in place of the poller's thread, unless another thread polls. Any thread. */
    void tryDrive() {
        if (!turn.tryEnter()) {
            Thread.onSpinWait();
            return;
        }
        try {
            waiters.countDrive(work.pass() > 0);
        } catch (Throwable e) { // whatever it is, the waiting thread has nothing to do with it
            turn.onFault(e);
        } finally {
            turn.leave();
        }
    }

    void onParking() {
        waiters.onParking();
    }

    void onParked(WaitingThread waiter) {
        if (waiter.isVirtual()) {
            waiters.offer(waiter);
        }
        if (waiter.hasPolledInVain()) {
            giveBackIfNeeded();
        } else {
            replaceIfNeeded();
        }
    }

    void onParkedBack() {
        waiters.onParkedBack();
    }

    void onParkedOver() {
        waiters.onResuming();
    }

    void onResume(WaitingThread waiter) {
        if (waiter.isVirtual()) {
            waiters.withdraw(waiter);
        }
    }

    void onRunning() {
        waiters.onRunning();
        replaceIfNeeded();
    }

    /**
     * A thread has what it waited for, or has found something for others: if they depend on it, one
     * of them takes its place.
     */
    private void replaceIfNeeded() {
        if (leader.isNapping() && waiters.needThread() && !waiters.tryCallOne()) {
            leader.endNap();
        }
    }

    /**
     * A thread has polled in vain: if threads depend on it, the poller's thread polls, and then
     * sleeps. If they called each other, they would never stop.
     */
    private void giveBackIfNeeded() {
        if (leader.isNapping() && waiters.needThread()) {
            leader.endNap();
        }
    }
}
