// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.memory.BlockPool;
import io.verbena.memory.internal.OpaqueCounter;
import io.verbena.memory.internal.Threads;
import io.verbena.verbs.CompletionChannel;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.WorkCompletion;
import java.lang.foreign.Arena;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that polls completion groups and delivers completions to their connections, runs tasks
 * for other threads, and sleeps on a completion channel when nothing has come for a while.
 *
 * <p>Before it sleeps it arms every group and polls each once more: a completion that arrived
 * before arming raises no event, one that arrives after it does. A task that arrives meanwhile
 * interrupts the sleep, and only the sleep: see {@link #wake}.
 */
final class Dispatcher {
    private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);
    private static final int AWAKE = 0;
    private static final int SLEEPING = 1;

    /** Idle passes between two readings of the clock. */
    private static final int PASSES_PER_LOOK = 16;

    /** Idle passes after which a dispatcher that never sleeps releases what it need not hold. */
    private static final int PASSES_TO_REST = 10_000;

    private static final long TICK_NS = 1_000_000;
    private static final Duration TICK = Duration.ofNanos(TICK_NS);
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Dispatcher.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Something that must be checked from time to time. Dispatcher's thread. */
    interface Watched {
        /**
         * {@return whether to check again}
         *
         * @param nowNs the time now, of {@link System#nanoTime}
         */
        boolean onTick(long nowNs);
    }

    private final CompletionChannel channel;
    private final DispatcherOptions options;
    private final Thread thread;
    private final Arena arena = Arena.ofShared();
    private final WorkCompletion cursor;
    private final ReceiveBatch receiveBatch;
    private final CopyArea copyArea;
    private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final List<Watched> watched = new ArrayList<>();
    private volatile CompletionGroup[] groups = {};

    @SuppressWarnings("unused") // accessed through STATE
    private volatile int state = AWAKE;

    private volatile boolean isStopping;
    private final OpaqueCounter sleeps = new OpaqueCounter();
    private int idlePasses;
    private long idleSinceNs;
    private long lastTickNs;

    Dispatcher(int number, CompletionChannel channel, BlockPool pool, DispatcherOptions options) {
        this.channel = channel;
        this.options = options;
        this.cursor = WorkCompletion.allocate(arena, options.pollOnce());
        this.receiveBatch = new ReceiveBatch(arena, options.pollOnce());
        this.copyArea = new CopyArea(pool);
        this.thread =
                Thread.ofPlatform()
                        .name("verbena-rdma-dispatcher-" + number)
                        .daemon(true)
                        .unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    CompletionChannel channel() {
        return channel;
    }

    /** {@return the batch for receives to post} Dispatcher's thread. */
    ReceiveBatch receiveBatch() {
        return receiveBatch;
    }

    /** {@return where small messages are copied} Dispatcher's thread. */
    CopyArea copyArea() {
        return copyArea;
    }

    /** Delivers everything that has completed in a group up to now. Dispatcher's thread. */
    void drain(CompletionGroup group) {
        // other connections may keep the group busy, but this many polls drain everything that is
        // there now
        for (int left = group.depth() / options.pollOnce() + 1; left > 0; left--) {
            if (group.poll(cursor) == 0) {
                return;
            }
        }
    }

    boolean isCurrentThread() {
        return Thread.currentThread().equals(thread);
    }

    /** {@return whether it is waiting for an event or a task} */
    boolean isAsleep() {
        return state == SLEEPING;
    }

    /** {@return how often it has gone to sleep} */
    long sleeps() {
        return sleeps.value();
    }

    /** Serves a group from now on. One thread at a time. */
    void add(CompletionGroup group) {
        CompletionGroup[] changed = Arrays.copyOf(groups, groups.length + 1);
        changed[changed.length - 1] = group;
        groups = changed;
        // it may be asleep with only the other groups armed
        execute(() -> {});
    }

    CompletionGroup[] groups() {
        return groups.clone();
    }

    /**
     * Runs a task on the dispatcher's thread, soon. No task is lost unless the dispatcher is
     * stopped.
     */
    void execute(Runnable task) {
        tasks.add(task);
        wake();
    }

    /**
     * Ends a sleep. The thread that swaps the state owes exactly one interrupt, and the dispatcher
     * waits for it before it goes on, so no interrupt can hit a handler.
     */
    private void wake() {
        if (state == SLEEPING && STATE.compareAndSet(this, SLEEPING, AWAKE)) {
            thread.interrupt();
        }
    }

    /** Checks something from time to time until it says that it is done. Dispatcher's thread. */
    void watch(Watched one) {
        watched.add(one);
    }

    private void run() {
        while (!isStopping || !isIdle()) {
            int work = runTasks() + pollAll();
            if (!watched.isEmpty()) {
                tick();
            }
            if (work > 0) {
                idlePasses = 0;
            } else {
                idle();
            }
        }
        runTasks();
        copyArea.close();
        arena.close();
    }

    private int runTasks() {
        int count = 0;
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            count++;
            try {
                task.run();
            } catch (RuntimeException e) {
                LOG.error("a task of {} failed", thread.getName(), e);
            }
        }
        return count;
    }

    private int pollAll() {
        int count = 0;
        for (CompletionGroup group : groups) {
            count += group.poll(cursor);
        }
        return count;
    }

    private void tick() {
        if ((idlePasses & PASSES_PER_LOOK - 1) != 0) {
            return;
        }
        long now = System.nanoTime();
        if (now - lastTickNs < TICK_NS) {
            return;
        }
        lastTickNs = now;
        List<Watched> due = List.copyOf(watched);
        watched.clear();
        for (Watched one : due) {
            if (one.onTick(now)) {
                watched.add(one);
            }
        }
    }

    private void idle() {
        if (options.isPolling()) {
            if (idlePasses++ == PASSES_TO_REST) {
                copyArea.close();
            }
            pause();
        } else if (hasSpunEnough()) {
            idlePasses = 0;
            sleep();
        } else {
            Thread.onSpinWait();
        }
    }

    private void pause() {
        if (options.isYielding()) {
            Thread.yield();
        } else {
            Thread.onSpinWait();
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
        CompletionGroup[] all = groups;
        for (CompletionGroup group : all) {
            group.arm();
        }
        if (pollAll() > 0 || all.length != groups.length) {
            return;
        }
        copyArea.close();
        // a full fence: a thread that adds a task and sees AWAKE has added it before the check
        // below
        STATE.setVolatile(this, SLEEPING);
        boolean isInterrupted = false;
        try {
            if (tasks.isEmpty() && !isStopping) {
                sleeps.add(1);
                awaitEvents();
            }
        } catch (InterruptedException e) {
            isInterrupted = true;
        }
        if (!STATE.compareAndSet(this, SLEEPING, AWAKE)) {
            while (!isInterrupted && !Thread.interrupted()) {
                Thread.onSpinWait();
            }
        }
    }

    private void awaitEvents() throws InterruptedException {
        Optional<CompletionQueue> event =
                watched.isEmpty() ? Optional.of(channel.awaitEvent()) : channel.awaitEvent(TICK);
        while (event.isPresent()) {
            count(event.get());
            event = channel.awaitEvent(Duration.ZERO);
        }
    }

    private void count(CompletionQueue queue) {
        for (CompletionGroup group : groups) {
            if (group.tryCountEvent(queue)) {
                return;
            }
        }
        LOG.warn("{} got an event of an unknown queue: {}", thread.getName(), queue);
    }

    private boolean isIdle() {
        for (CompletionGroup group : groups) {
            if (!group.isIdle()) {
                return false;
            }
        }
        return tasks.isEmpty();
    }

    /** Ends the thread once every slot is free; no more slots may be claimed. */
    void stop() {
        isStopping = true;
        wake();
    }

    /** Waits for the thread to end: what it serves must outlive it. */
    void awaitEnd() {
        Threads.awaitEnd(thread);
    }
}
