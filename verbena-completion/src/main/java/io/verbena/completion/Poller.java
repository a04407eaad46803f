// SPDX-License-Identifier: Apache-2.0
package io.verbena.completion;

import io.verbena.verbs.CompletionChannel;
import java.util.concurrent.ThreadFactory;

/**
 * Decides which thread polls a set of completion queues, and when.
 *
 * <p>All polling, and all that follows from it, is done inside the {@link PollingTurn}, which one
 * thread at a time holds. Usually that is the poller's own thread, the {@link Leader}. A thread
 * that waits for a result polls in its place ({@link Waiter#await}, see {@link Drivers}).
 */
public final class Poller {
    private final String name;
    private final CompletionChannel channel;
    private final PollingTurn turn;
    private final Leader leader;
    private final Drivers drivers;
    private final Waiters waiters =
            // a quarter of the processors: those who produce the results need some as well
            new Waiters(Math.max(1, Runtime.getRuntime().availableProcessors() / 4));

    /**
     * A poller that does nothing yet.
     *
     * @param name its thread's
     * @param channel where its queues' events go
     * @param work what to do
     * @param options how to wait
     */
    public Poller(String name, CompletionChannel channel, PollerWork work, PollerOptions options) {
        this(name, channel, work, options, Thread.ofPlatform().daemon(true).factory());
    }

    /** As the public one, with its threads' factory. */
    Poller(
            String name,
            CompletionChannel channel,
            PollerWork work,
            PollerOptions options,
            ThreadFactory threads) {
        this.name = name;
        this.channel = channel;
        this.turn = new PollingTurn(name, work, this::wake);
        this.leader = new Leader(name, channel, turn, work, options, waiters, threads);
        this.drivers = new Drivers(turn, work, options, waiters, leader);
    }

    /** Starts its thread. */
    public void start() {
        leader.start();
    }

    /** {@return the channel of its queues} */
    public CompletionChannel channel() {
        return channel;
    }

    /** {@return whether the calling thread holds the turn} */
    public boolean isHolder() {
        return turn.isHolder();
    }

    /** {@return whether its thread waits for an event} */
    public boolean isAsleep() {
        return leader.isAsleep();
    }

    /** {@return how often its thread has gone to sleep} */
    public long sleeps() {
        return leader.sleeps();
    }

    /** {@return how often waiting threads have polled} */
    public long drives() {
        return waiters.drives();
    }

    /** Runs what other threads have left, unless another one holds the turn and will do so. */
    public void runCalls() {
        turn.runCalls();
    }

    /**
     * {@return whether a task was run inside the turn; false if the poller has ended} Waits for the
     * turn: for rare operations, and never inside it.
     *
     * @param task what it throws reaches the caller
     */
    public boolean inTurn(Runnable task) {
        return turn.run(task);
    }

    /**
     * {@return whether a pass follows soon, without a call of {@link #wake}} For a thread that is
     * about to wait here, and for a placed task.
     */
    public boolean isPassDue() {
        return waiters.isAnyPolling() || leader.isHere();
    }

    /** Something was left for the holder of the turn: makes sure that there will be one. */
    public void wake() {
        leader.wake();
    }

    /**
     * Something is expected that no thread waits for: the poller's thread looks after it, and does
     * not leave that to waiting threads for a while. Cheap if called often.
     */
    public void attend() {
        leader.attend();
    }

    /**
     * {@return whether this thread will run a task after its turn} Called inside the turn, by what
     * was delivered. The task may block: if it keeps this thread for a while, another one polls.
     *
     * @param task throws nothing that matters to anybody else
     */
    public boolean tryPlace(Runnable task) {
        return leader.tryPlace(task);
    }

    /** Polls once in place of the poller's thread, unless another thread polls. Any thread. */
    public void tryDrive() {
        drivers.tryDrive();
    }

    /** {@return those that wait for what it delivers} */
    Drivers drivers() {
        return drivers;
    }

    /** Ends its thread as soon as the work allows it. */
    public void stop() {
        leader.stop();
    }

    /** Waits for its thread to end: what it polls must outlive it. */
    public void awaitEnd() {
        leader.awaitEnd();
    }

    /** {@return its name, and how many threads poll and wait at the moment} */
    @Override
    public String toString() {
        return name + ": " + (isAsleep() ? "asleep" : "awake") + ", threads: " + waiters;
    }
}
