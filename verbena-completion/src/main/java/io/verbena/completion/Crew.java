// SPDX-License-Identifier: Apache-2.0
package io.verbena.completion;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * The threads of a poller: one leads, that is polls and runs placed tasks; the other stands by and
 * takes over when a task keeps the leader for too long. A leader that returns to find itself
 * relieved stands by in its turn. While one of them is kept by a task, further tasks go to virtual
 * threads: two threads are enough, and no task can wait for another that waits for it. If no thread
 * can be started, tasks run where they are: one that blocks then keeps the poller, but none is
 * lost.
 */
final class Crew {
    /** How often the thread that stands by looks whether the leader is still at the same task. */
    private static final long LOOK_NS = 1_000_000;

    /** How many looks without any task until it stops looking. */
    private static final int IDLE_LOOKS = 100;

    /** How long to wait for the end of a leader before looking who leads. */
    private static final Duration JOIN = Duration.ofMillis(10);

    /** So many answers wait for each other at most. */
    private static final int TASKS_PER_FLUSH = 16;

    private static final RareLog LOG = new RareLog(Crew.class);

    private static final int STANDING_BY = 0;
    private static final int LEADING = 1;
    private static final int IN_TASK = 2;
    private static final int RELIEVED = 3;
    private static final VarHandle DUTY;
    private static final VarHandle STARTED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            DUTY = lookup.findVarHandle(Member.class, "duty", int.class);
            STARTED = lookup.findVarHandle(Crew.class, "started", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** One of the threads. */
    private final class Member {
        private final Thread thread;

        @SuppressWarnings("unused") // also accessed through DUTY
        private volatile int duty;

        Member(String name, ThreadFactory threads) {
            thread = threads.newThread(new EnduringTask(() -> serve(this)));
            thread.setName(name);
        }
    }

    /**
     * A task on a virtual thread, or on the caller's if that cannot be started. Once: a start that
     * fails may have handed the task over all the same.
     */
    private static final class Apart implements Runnable {
        private final Runnable task;
        private final AtomicBoolean isBegun = new AtomicBoolean();

        Apart(Runnable task) {
            this.task = task;
        }

        @Override
        public void run() {
            if (isBegun.compareAndSet(false, true)) {
                Crew.run(task);
            }
        }

        void start() {
            try {
                Thread.ofVirtual().name("verbena-placed").start(this);
            } catch (Throwable e) { // a caller waits for the task
                warn("no virtual thread for a placed task", e);
                run();
            }
        }
    }

    private final Runnable lead;
    private final Member first;
    private final Member second;
    private final Runnable flush;
    private final PlacedTasks tasks = new PlacedTasks();
    private volatile Member leader;

    /** Tasks begun by leaders. Written by the leader. */
    @SuppressWarnings("unused") // accessed through STARTED
    private long started;

    private volatile boolean isLookedAfter;
    private volatile boolean isSecondStarted;
    private volatile boolean isOver;

    /**
     * A crew that is not started.
     *
     * @param name its threads'
     * @param lead what the leader does as long as {@link #isLeader}, or until the end
     * @param flush sends what tasks have written
     * @param threads makes its threads
     */
    Crew(String name, Runnable lead, Runnable flush, ThreadFactory threads) {
        this.lead = lead;
        this.flush = flush;
        this.first = new Member(name, threads);
        this.second = new Member(name + "-standby", threads);
        this.leader = first;
        first.duty = LEADING;
    }

    void start() {
        VirtualThreads.prepare();
        rehearse();
        first.thread.start();
    }

    /**
     * Uses each handle once, without effect. The JVM links a use when it first runs, which takes
     * memory: without any, a task that was taken out already would never run.
     */
    private void rehearse() {
        STARTED.setVolatile(this, started);
        STARTED.setOpaque(this, started);
        DUTY.setRelease(second, STANDING_BY);
        boolean _ = DUTY.compareAndSet(second, STANDING_BY, STANDING_BY);
    }

    /** {@return the thread that leads} It does not change while that thread sleeps or polls. */
    Thread leader() {
        return leader.thread;
    }

    /** {@return whether the calling thread, one of the crew, leads} */
    boolean isLeader() {
        return Thread.currentThread().equals(leader.thread);
    }

    private Member other(Member one) {
        return one == first ? second : first;
    }

    /**
     * {@return whether the leader will run a task after its turn} Inside the turn, by the leader.
     *
     * @param task may block, at the price of a moment's delay for others
     */
    boolean tryPlace(Runnable task) {
        Member self = leader;
        return Thread.currentThread().equals(self.thread)
                && other(self).duty == STANDING_BY
                && tasks.tryAdd(task);
    }

    /** {@return whether nothing is placed} */
    boolean isEmpty() {
        return tasks.isEmpty();
    }

    /** {@return whether the caller still leads} Runs what was placed. The leader, no turn. */
    boolean runPlaced() {
        Runnable task = tasks.poll();
        if (task == null) {
            return true;
        }
        Member self = leader;
        if (other(self).duty != STANDING_BY) {
            // placed by the other one while it was being relieved: it is still kept by its task,
            // and nobody could relieve this one
            runApart(task);
            return true;
        }
        // a full fence: a standby that stops looking sees this, or is called below
        STARTED.setVolatile(this, started + 1);
        if (!isLookedAfter) {
            callStandby(self);
        }
        for (int count = 1; ; count++) {
            DUTY.setRelease(self, IN_TASK);
            run(task);
            if (!DUTY.compareAndSet(self, IN_TASK, LEADING)) {
                // relieved: the other one leads now, or is about to
                return false;
            }
            if (count % TASKS_PER_FLUSH == 0) {
                flush.run();
            }
            task = tasks.poll();
            if (task == null) {
                return true;
            }
            STARTED.setOpaque(this, started + 1);
        }
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) { // whatever it is, the crew goes on
            Faults.warn(Crew.class, "a placed task failed", Thread.currentThread().getName(), e);
        } finally {
            // an interrupt that the task leaves behind would look like one of Poller.wake
            Thread.interrupted();
        }
    }

    private static void runApart(Runnable task) {
        try {
            new Apart(task).start();
        } catch (OutOfMemoryError e) { // it was not made: nobody has the task yet
            warn("no memory for a placed task", e);
            run(task);
        }
    }

    private static void warn(String what, Throwable fault) {
        try {
            LOG.warn(Faults.describe(what, fault), Thread.currentThread().getName());
        } catch (Throwable e) {
            // nobody is left to tell, and a task waits
        }
    }

    private void callStandby(Member self) {
        // first: a standby that rests in the meantime clears it
        isLookedAfter = true;
        Member standby = other(self);
        if (isSecondStarted) {
            LockSupport.unpark(standby.thread);
            return;
        }
        try {
            standby.thread.start();
            isSecondStarted = true;
        } catch (Throwable e) { // the task runs all the same; the next one tries again
            isLookedAfter = false;
            warn("no thread to stand by", e);
        }
    }

    private void serve(Member self) {
        while (!isOver) {
            // its own duty: the one that relieves it sets the leader a moment later
            if (self.duty == LEADING) {
                lead.run();
            } else {
                standBy(self);
            }
        }
    }

    private void standBy(Member self) {
        self.duty = STANDING_BY;
        Member other = other(self);
        long seen = -1;
        int idleLooks = 0;
        while (!isOver) {
            long now = (long) STARTED.getOpaque(this);
            if (now != seen) {
                seen = now;
                idleLooks = 0;
            } else if (other.duty == IN_TASK) {
                if (DUTY.compareAndSet(other, IN_TASK, RELIEVED)) {
                    takeOver(self);
                    return;
                }
            } else if (++idleLooks == IDLE_LOOKS) {
                idleLooks = 0;
                rest(seen);
                continue;
            }
            LockSupport.parkNanos(this, LOOK_NS);
        }
    }

    /** Nothing was placed for a while: sleeps until something is. */
    private void rest(long seen) {
        isLookedAfter = false;
        if ((long) STARTED.getVolatile(this) != seen) {
            isLookedAfter = true;
        }
        while (!isLookedAfter && !isOver) {
            LockSupport.park(this);
        }
    }

    private void takeOver(Member self) {
        self.duty = LEADING;
        leader = self;
        // the tasks behind the one that blocks must not wait for it, nor for each other
        runAllApart();
    }

    private void runAllApart() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            runApart(task);
        }
    }

    /** The leader ends: so does the crew. What was placed since it last looked still runs. */
    void end() {
        isOver = true;
        LockSupport.unpark(other(leader).thread);
        runAllApart();
    }

    /** Waits for the leader to end. A thread that a task keeps touches nothing of the poller. */
    void awaitEnd() {
        boolean isInterrupted = false;
        while (leader.thread.isAlive()) {
            try {
                // not for ever: a task may keep this one, and another one leads
                leader.thread.join(JOIN);
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
