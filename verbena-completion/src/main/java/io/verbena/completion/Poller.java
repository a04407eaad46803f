// SPDX-License-Identifier: Apache-2.0
package io.verbena.completion;

import io.verbena.verbs.CompletionChannel;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * Decides which thread polls a set of completion queues, and when.
 *
 * <p>All polling, and all that follows from it, is done inside the <em>turn</em>, which one thread
 * at a time holds. Nobody waits for the turn: a thread that finds it taken leaves its work where
 * {@link PollerWork#hasCalls} finds it, and the holder looks there after giving the turn back.
 *
 * <p>The poller's own thread polls, and sleeps on a completion channel when nothing has come for a
 * while. A thread that waits for a result polls in its place ({@link Waiter#await}): the result
 * then needs no wake-up. While such threads come again and again, the poller's thread only naps and
 * looks whether they still do.
 */
public final class Poller {
    /** Idle passes between two readings of the clock. */
    private static final int PASSES_PER_LOOK = 16;

    /** Idle passes after which a thread that never sleeps releases what it need not hold. */
    private static final int PASSES_TO_REST = 10_000;

    /**
     * How long the poller's thread leaves polling to waiting threads before it looks again: the
     * longest that a completion can be late if they all stop at once without a trace.
     */
    private static final long NAP_NS = 1_000_000;

    /** For how long after a call that nobody waits for the poller's thread does not nap. */
    private static final long ATTENDED_NS = 100_000_000;

    /** How long a waiting thread polls without letting others have the processor. */
    private static final long BEFORE_YIELD_NS = 10_000;

    /** How long a thread that must have the turn waits before it tries again. */
    private static final long TURN_PAUSE_NS = 20_000;

    private static final VarHandle TURN;
    private static final VarHandle DRIVES;
    private static final VarHandle FINDS;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            TURN = lookup.findVarHandle(Poller.class, "turn", int.class);
            DRIVES = lookup.findVarHandle(Poller.class, "drives", long.class);
            FINDS = lookup.findVarHandle(Poller.class, "finds", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final String name;
    private final CompletionChannel channel;
    private final PollerWork work;
    private final PollerOptions options;
    private final Crew crew;
    private final Sleep sleep;
    private final Waiters waiters =
            // a quarter of the processors: those who produce the results need some as well
            new Waiters(Math.max(1, Runtime.getRuntime().availableProcessors() / 4));

    @SuppressWarnings("unused") // accessed through TURN
    private volatile int turn;

    /** The thread that holds the turn: only that thread finds itself here. */
    private Thread holder;

    /** Passes of waiting threads. Inside the turn. */
    @SuppressWarnings("unused") // accessed through DRIVES
    private long drives;

    /** Those of them that found something. Inside the turn. */
    @SuppressWarnings("unused") // accessed through FINDS
    private long finds;

    private volatile boolean isNapping;
    private volatile boolean isAttended;
    private volatile boolean isStopping;
    private volatile boolean isEnded;

    // the poller's thread
    private long drivesSeen;
    private long attendedNs;
    private int idlePasses;
    private long idleSinceNs;
    private boolean isTicking;

    /**
     * A poller that does nothing yet.
     *
     * @param name its thread's
     * @param channel where its queues' events go
     * @param work what to do
     * @param options how to wait
     */
    public Poller(String name, CompletionChannel channel, PollerWork work, PollerOptions options) {
        this.channel = channel;
        this.work = work;
        this.options = options;
        this.attendedNs = System.nanoTime() - ATTENDED_NS;
        this.name = name;
        this.crew = new Crew(name, this::lead, work::flush);
        this.sleep = new Sleep(channel, work::onEvent);
    }

    /** Starts its thread. */
    public void start() {
        crew.start();
    }

    /** {@return the channel of its queues} */
    public CompletionChannel channel() {
        return channel;
    }

    /** {@return whether the calling thread holds the turn} */
    public boolean isHolder() {
        return Thread.currentThread().equals(holder);
    }

    /** {@return whether its thread waits for an event} */
    public boolean isAsleep() {
        return sleep.isAsleep();
    }

    /** {@return how often its thread has gone to sleep} */
    public long sleeps() {
        return sleep.count();
    }

    /** {@return how often waiting threads have polled} */
    public long drives() {
        return (long) DRIVES.getOpaque(this);
    }

    private boolean tryEnter() {
        if (turn == 0 && TURN.compareAndSet(this, 0, 1)) {
            holder = Thread.currentThread();
            return true;
        }
        return false;
    }

    /** A full fence: the check for calls that follows sees one that was added before. */
    private void leave() {
        holder = null;
        TURN.setVolatile(this, 0);
        runCalls();
    }

    /** Runs what other threads have left, unless another one holds the turn and will do so. */
    public void runCalls() {
        while (work.hasCalls() && tryEnter()) {
            try {
                work.runCalls();
            } catch (Throwable e) { // whatever it is, this thread has nothing to do with it
                onFault(e);
                // there may be more calls, which nobody else knows of
                wake();
                return;
            } finally {
                holder = null;
                TURN.setVolatile(this, 0);
            }
        }
    }

    /**
     * {@return whether a task was run inside the turn; false if the poller has ended} Waits for the
     * turn: for rare operations, and never inside it.
     *
     * @param task what it throws reaches the caller
     */
    public boolean inTurn(Runnable task) {
        while (!tryEnter()) {
            if (isEnded) {
                return false;
            }
            // Park instead of spinning: the holder may be a virtual thread that needs this carrier
            // thread.
            LockSupport.parkNanos(TURN_PAUSE_NS);
        }
        try {
            task.run();
        } finally {
            leave();
        }
        return true;
    }

    /**
     * {@return whether a pass follows soon, without a call of {@link #wake}} For a thread that is
     * about to wait here, and for a placed task.
     */
    public boolean isPassDue() {
        return waiters.isAnyPolling() || crew.isLeader();
    }

    /** Something was left for the holder of the turn: makes sure that there will be one. */
    public void wake() {
        if (!sleep.tryEnd(crew.leader())) {
            endNap();
        }
    }

    /**
     * Something is expected that no thread waits for: the poller's thread looks after it, and does
     * not leave that to waiting threads for a while. Cheap if called often.
     */
    public void attend() {
        if (!isAttended) {
            isAttended = true;
            endNap();
        }
    }

    /**
     * {@return whether this thread will run a task after its turn} Called inside the turn, by what
     * was delivered. The task may block: if it keeps this thread for a while, another one polls.
     *
     * @param task throws nothing that matters to anybody else
     */
    public boolean tryPlace(Runnable task) {
        return crew.tryPlace(task);
    }

    private void endNap() {
        if (isNapping) {
            LockSupport.unpark(crew.leader());
        }
    }

    // ---- waiting threads

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
        long findsBefore = (long) FINDS.getOpaque(this);
        boolean isOver = false;
        try {
            isOver = waiter.isVirtual() ? spinOnCarrier(waiter) : spin(waiter);
        } finally {
            waiters.endPolling();
            // left by a thread that relied on this one to poll, after the last pass
            runCalls();
            if (isOver || (long) FINDS.getOpaque(this) != findsBefore) {
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
    public void tryDrive() {
        if (!tryEnter()) {
            Thread.onSpinWait();
            return;
        }
        try {
            DRIVES.setOpaque(this, (long) DRIVES.getOpaque(this) + 1);
            if (work.pass() > 0) {
                FINDS.setOpaque(this, (long) FINDS.getOpaque(this) + 1);
            }
        } catch (Throwable e) { // whatever it is, the waiting thread has nothing to do with it
            onFault(e);
        } finally {
            leave();
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
        if (isNapping && waiters.needThread() && !waiters.tryCallOne()) {
            endNap();
        }
    }

    /**
     * A thread has polled in vain: if threads depend on it, the poller's thread polls, and then
     * sleeps. If they called each other, they would never stop.
     */
    private void giveBackIfNeeded() {
        if (isNapping && waiters.needThread()) {
            endNap();
        }
    }

    // ---- the poller's thread

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
                onFault(e);
                // a fault that comes back at once must not fill the log at full speed
                LockSupport.parkNanos(NAP_NS);
            }
        }
        end();
    }

    private void step() {
        if (isDriven()) {
            nap();
        } else if (passIfFree() > 0) {
            idlePasses = 0;
        } else {
            idle();
        }
    }

    private void end() {
        while (!tryEnter()) {
            Thread.yield();
        }
        // never left: waiting threads find the turn taken from now on
        isEnded = true;
        try {
            work.onEnd();
        } catch (Throwable e) {
            onFault(e);
        } finally {
            crew.end();
        }
    }

    private boolean mayEnd() {
        if (!tryEnter()) {
            return false;
        }
        try {
            return work.mayEnd();
        } finally {
            leave();
        }
    }

    /** {@return whether waiting threads have polled since the last look, and that is enough} */
    private boolean isDriven() {
        long now = drives();
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

    private int passIfFree() {
        if (!tryEnter()) {
            return 0;
        }
        try {
            return work.pass();
        } finally {
            leave();
        }
    }

    /** What is polled takes care of its own failures; this is a last resort. */
    private void onFault(Throwable fault) {
        Faults.warn(Poller.class, "the polled work failed", name, fault);
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
        if (tryEnter()) {
            try {
                work.onRest();
            } finally {
                leave();
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
        if (System.nanoTime() - idleSinceNs >= options.spinNs()) {
            return true;
        }
        // the peer, or the thread that will write next, may be waiting for this very processor
        Thread.yield();
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
        if (!tryEnter()) {
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
            leave();
        }
    }

    /** Ends its thread as soon as the work allows it. */
    public void stop() {
        isStopping = true;
        wake();
    }

    /** Waits for its thread to end: what it polls must outlive it. */
    public void awaitEnd() {
        crew.awaitEnd();
    }

    /** {@return its name, and how many threads poll and wait at the moment} */
    @Override
    public String toString() {
        return name + ": " + (isAsleep() ? "asleep" : "awake") + ", threads: " + waiters;
    }
}
