// SPDX-License-Identifier: Apache-2.0
package io.verbena.completion;

import io.verbena.verbs.CompletionChannel;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;

/**
 * The poller's own thread: polls, sleeps on the completion channel when nothing has come for a
 * while, and runs placed tasks. While waiting threads poll in its place, it only naps and looks
 * whether they still do.
 *
 * <p>Threads: the {@link Crew} says which one leads. Fields without {@code volatile} are the
 * leader's own, and go from one leader to the next with its duty.
 */
final class Leader {
    /** Idle passes between two readings of the clock. */
    private static final int PASSES_PER_LOOK = 16;

    /** Idle passes after which a thread that never sleeps releases what it need not hold. */
    private static final int PASSES_TO_REST = 10_000;

    /**
     * How long the thread leaves polling to waiting threads before it looks again: the longest that
     * a completion can be late if they all stop at once without a trace.
     */
    private static final long NAP_NS = 1_000_000;

    /** For how long after a call that nobody waits for the thread does not nap. */
    private static final long ATTENDED_NS = 100_000_000;

    private final PollingTurn turn;
    private final PollerWork work;
    private final PollerOptions options;
    private final Waiters waiters;
    private final Crew crew;
    private final Sleep sleep;
    private volatile boolean isNapping;
    private volatile boolean isAttended;
    private volatile boolean isStopping;
    private long drivesSeen;
    private long attendedNs;
    private int idlePasses;
    private long idleSinceNs;
    private boolean isTicking;

    Leader(
            String name,
            CompletionChannel channel,
            PollingTurn turn,
            PollerWork work,
            PollerOptions options,
            Waiters waiters,
            ThreadFactory threads) {
        this.turn = turn;
        this.work = work;
        this.options = options;
        this.waiters = waiters;
        this.attendedNs = System.nanoTime() - ATTENDED_NS;
        this.crew = new Crew(name, this::lead, work::flush, threads);
        this.sleep = new Sleep(channel, work::onEvent);
    }

    void start() {
        crew.start();
    }

    /** {@return whether the calling thread leads} */
    boolean isHere() {
        return crew.isLeader();
    }

    boolean isAsleep() {
        return sleep.isAsleep();
    }

    /** {@return how often it has gone to sleep} */
    long sleeps() {
        return sleep.count();
    }

    /** {@return whether it leaves polling to waiting threads at the moment} */
    boolean isNapping() {
        return isNapping;
    }

    void endNap() {
        if (isNapping) {
            LockSupport.unpark(crew.leader());
        }
    }

    /** Ends its sleep or nap. Any thread. */
    void wake() {
        if (!sleep.tryEnd(crew.leader())) {
            endNap();
        }
    }

    /** It does not nap for a while. Any thread. */
    void attend() {
        if (!isAttended) {
            isAttended = true;
            endNap();
        }
    }

    /** {@return whether it will run a task after its turn} Inside the turn. */
    boolean tryPlace(Runnable task) {
        return crew.tryPlace(task);
    }

    void stop() {
        isStopping = true;
        wake();
    }

    void awaitEnd() {
        crew.awaitEnd();
    }

    private void lead() {
        boolean isOver = false;
        while (!isOver) {
            try {
                if (!crew.runPlaced()) {
                    return;
                }
                isOver = isStopping && mayEnd() && crew.isEmpty();
                if (!isOver) {
                    step();
                }
            } catch (Throwable e) { // without this thread, nobody would poll any more
                turn.onFault(e);
                // a fault that comes back at once must not fill the log at full speed
                LockSupport.parkNanos(NAP_NS);
            }
        }
        end();
    }

    private void step() {
        if (isDriven()) {
            nap();
        } else if (turn.passIfFree() > 0) {
            idlePasses = 0;
        } else {
            idle();
        }
    }

    private void end() {
        try {
            turn.end();
        } finally {
            crew.end();
        }
    }

    private boolean mayEnd() {
        if (!turn.tryEnter()) {
            return false;
        }
        try {
            return work.mayEnd();
        } finally {
            turn.leave();
        }
    }

    /** {@return whether waiting threads have polled since the last look, and that is enough} */
    private boolean isDriven() {
        long now = waiters.drives();
        if (now == drivesSeen) {
            return false;
        }
        drivesSeen = now;
        return mayNap();
    }

    private boolean mayNap() {
        if (isAttended) {
            isAttended = false;
            attendedNs = System.nanoTime();
            return false;
        }
        return !isStopping
                && !waiters.needThread()
                && !work.hasCalls()
                && System.nanoTime() - attendedNs >= ATTENDED_NS;
    }

    private void nap() {
        idlePasses = 0;
        isNapping = true;
        // a thread that needs this one from now on sees the flag; one that did before is seen here
        if (mayNap()) {
            LockSupport.parkNanos(NAP_NS);
        }
        isNapping = false;
    }

    private void idle() {
        if (options.isPolling() && work.isInUse()) {
            if (idlePasses++ == PASSES_TO_REST) {
                rest();
            }
            if (options.isYielding()) {
                Thread.yield();
            } else {
                Thread.onSpinWait();
            }
        } else if (hasSpunEnough()) {
            idlePasses = 0;
            sleep();
        } else {
            Thread.onSpinWait();
        }
    }

    private void rest() {
        if (turn.tryEnter()) {
            try {
                work.onRest();
            } finally {
                turn.leave();
            }
        }
    }

    private boolean hasSpunEnough() {
        int pass = idlePasses++;
        if (options.spinNs() == 0) {
            return true;
        }
        if (pass == 0) {
            idleSinceNs = System.nanoTime();
            return false;
        }
        if ((pass & PASSES_PER_LOOK - 1) != 0) {
            return false;
        }
        long idleNs = System.nanoTime() - idleSinceNs;
        if (idleNs >= options.spinNs()) {
            return true;
        }
        if (idleNs >= Drivers.BEFORE_YIELD_NS) {
            // the peer, or the thread that will write next, may be waiting for this very processor
            Thread.yield();
        }
        return false;
    }

    private void sleep() {
        if (!tryArm()) {
            return;
        }
        sleep.run(this::isLeftAlone, isTicking);
    }

    private boolean isLeftAlone() {
        // a thread that is to end looks at every tick whether it may: nobody tells it
        return !work.hasCalls() && crew.isEmpty() && (isTicking || !isStopping);
    }

    /** {@return whether nothing came before arming, so that what comes next raises an event} */
    private boolean tryArm() {
        if (!turn.tryEnter()) {
            return false;
        }
        try {
            work.arm();
            if (work.pass() > 0) {
                return false;
            }
            work.onRest();
            isTicking = isStopping || work.isWatching();
            return true;
        } finally {
            turn.leave();
        }
    }
}
