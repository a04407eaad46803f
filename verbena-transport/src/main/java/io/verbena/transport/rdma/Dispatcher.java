// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.completion.Faults;
import io.verbena.completion.Poller;
import io.verbena.completion.PollerWork;
import io.verbena.memory.BlockPool;
import io.verbena.verbs.CompletionChannel;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.WorkCompletion;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls completion groups and delivers completions to their connections, runs tasks for other
 * threads, and ticks for those that have a deadline. Its {@link Poller} decides which thread does
 * so; all of it happens inside the poller's turn.
 */
final class Dispatcher implements PollerWork {
    private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);

    /** Passes between two readings of the clock. */
    private static final int PASSES_PER_LOOK = 16;

    private static final long TICK_NS = 1_000_000;

    /** Something that must be checked from time to time. Inside the turn. */
    interface Watched {
        /**
         * {@return whether to check again}
         *
         * @param nowNs the time now, of {@link System#nanoTime}
         */
        boolean onTick(long nowNs);
    }

    /** Its place among those that are watched: being watched takes no memory. */
    static final class Watch {
        private final Watched one;
        private Watch next;
        private boolean isListed;

        Watch(Watched one) {
            this.one = one;
        }
    }

    private final Poller poller;
    private final int pollOnce;
    private final Arena arena = Arena.ofShared();
    private final WorkCompletion cursor;
    private final ReceiveBatch receiveBatch;
    private final CopyArea copyArea;
    private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final FlushList flushes = new FlushList();
    private final Starvation starvation = new Starvation();
    private final FlushList calls = new FlushList();

    /** The first of those that are watched, or null. Inside the turn. */
    private Watch watched;

    private final AtomicInteger endpoints = new AtomicInteger();
    private volatile CompletionGroup[] groups = {};
    private int passes;
    private long lastTickNs;

    Dispatcher(String name, CompletionChannel channel, BlockPool pool, DispatcherOptions options) {
        this.pollOnce = options.pollOnce();
        this.cursor = WorkCompletion.allocate(arena, pollOnce);
        this.receiveBatch = new ReceiveBatch(arena, pollOnce);
        this.copyArea = new CopyArea(pool);
        this.poller = new Poller("verbena-rdma-" + name, channel, this, options.polling());
    }

    void start() {
        poller.start();
    }

    /** {@return who polls, and when} */
    Poller poller() {
        return poller;
    }

    /** {@return the batch for receives to post} Inside the turn. */
    ReceiveBatch receiveBatch() {
        return receiveBatch;
    }

    /** {@return where small messages are copied} Inside the turn. */
    CopyArea copyArea() {
        return copyArea;
    }

    /** Delivers everything that has completed in a group up to now. Inside the turn. */
    void drain(CompletionGroup group) {
        // other connections may keep the group busy, but this many polls drain everything that is
        // there now
        for (int left = group.depth() / pollOnce + 1; left > 0; left--) {
            if (group.poll(cursor) == 0) {
                return;
            }
        }
    }

    /** Serves a group from now on. One thread at a time. */
    void add(CompletionGroup group) {
        CompletionGroup[] changed = Arrays.copyOf(groups, groups.length + 1);
        changed[changed.length - 1] = group;
        // The poller may be asleep, or about to sleep, with only the other groups armed. First the
        // task: without memory for that, the group must not be polled, as its maker closes it.
        tasks.add(group::arm);
        groups = changed;
        poller.wake();
    }

    CompletionGroup[] groups() {
        return groups.clone();
    }

    /**
     * Runs a task inside the turn, soon, never inside this call. No task is lost unless the
     * dispatcher is stopped.
     */
    void execute(Runnable task) {
        tasks.add(task);
        poller.wake();
    }

    /** Like {@link #execute}, for what must not be lost if there is no memory. Any thread. */
    void call(FlushList.Entry call) {
        calls.add(call);
        poller.wake();
    }

    /** Checks something from time to time until it says that it is done. Inside the turn. */
    void watch(Watch one) {
        if (one.isListed) {
            return;
        }
        one.isListed = true;
        one.next = watched;
        watched = one;
        // the poller's thread may be asleep without a time limit, if another one holds the turn
        poller.wake();
    }

    /** {@return who chooses what ends when the pool is empty} Inside the turn. */
    Starvation starvation() {
        return starvation;
    }

    /** Posts what an endpoint has to send with the next pass. Any thread. */
    void flushSoon(FlushList.Entry endpoint) {
        flushes.add(endpoint);
        // the thread that was to pass may have stopped between the caller's look and the add
        if (!poller.isPassDue()) {
            flushes.flush();
        }
    }

    @Override
    public void flush() {
        flushes.flush();
    }

    @Override
    public int pass() {
        flushes.flush();
        int work = runTasks();
        for (CompletionGroup group : groups) {
            work += group.poll(cursor);
        }
        if (watched != null) {
            tick(work);
        }
        return work;
    }

    @Override
    public boolean hasCalls() {
        return !tasks.isEmpty() || !calls.isEmpty() || !flushes.isEmpty();
    }

    @Override
    public void runCalls() {
        flushes.flush();
        runTasks();
    }

    private int runTasks() {
        int count = 0;
        if (!calls.isEmpty()) {
            count++;
            calls.flush();
        }
        if (tasks.isEmpty()) {
            return count;
        }
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            count++;
            try {
                task.run();
            } catch (Throwable e) { // whatever it is, the other connections must not suffer
                Faults.warn(Dispatcher.class, "a task failed", poller, e);
            }
        }
        return count;
    }

    private void tick(int work) {
        if (work == 0 && (++passes & PASSES_PER_LOOK - 1) != 0) {
            return;
        }
        long now = System.nanoTime();
        if (now - lastTickNs < TICK_NS) {
            return;
        }
        lastTickNs = now;
        Watch due = watched;
        watched = null;
        while (due != null) {
            Watch next = due.next;
            due.isListed = false;
            if (isStillWatched(due.one, now)) {
                watch(due);
            }
            due = next;
        }
        starvation.onTicked(now);
    }

    private static boolean isStillWatched(Watched one, long now) {
        try {
            return one.onTick(now);
        } catch (Throwable e) { // the others have deadlines, too
            Faults.warn(Dispatcher.class, "a tick failed", one, e);
            return true;
        }
    }

    @Override
    public boolean isWatching() {
        if (watched != null) {
            return true;
        }
        for (CompletionGroup group : groups) {
            if (group.isTelling()) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void arm() {
        for (CompletionGroup group : groups) {
            group.arm();
        }
    }

    /** An endpoint begins its life. Any thread. */
    void onBegin() {
        endpoints.incrementAndGet();
        // a poller without endpoints sleeps even if it is told to poll
        poller.wake();
    }

    /** An endpoint has ended. */
    void onEndpointEnd() {
        endpoints.decrementAndGet();
    }

    @Override
    public boolean isInUse() {
        return endpoints.get() > 0;
    }

    @Override
    public void onRest() {
        copyArea.close();
    }

    @Override
    public void onEvent(CompletionQueue queue) {
        for (CompletionGroup group : groups) {
            if (group.tryCountEvent(queue)) {
                return;
            }
        }
        LOG.warn("an event of an unknown queue: {}", queue);
    }

    @Override
    public boolean mayEnd() {
        for (CompletionGroup group : groups) {
            if (!group.isIdle()) {
                return false;
            }
        }
        return !hasCalls();
    }

    @Override
    public void onEnd() {
        runTasks();
        copyArea.close();
        arena.close();
    }

    /** Ends the thread once every slot is free; no more slots may be claimed. */
    void stop() {
        poller.stop();
    }

    /** Waits for the thread to end: what it serves must outlive it. */
    void awaitEnd() {
        poller.awaitEnd();
    }
}
