// SPDX-License-Identifier: Apache-2.0
package io.verbena.completion;

import io.verbena.verbs.CompletionQueue;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** A poller whose waiters wait for writes of a {@link Loopback}, or for whatever a test does. */
final class LoopbackWork implements PollerWork, AutoCloseable {
    /** As in the transport: long enough to poll, short enough to park now and then. */
    static final PollerOptions SPINNING = new PollerOptions(false, false, 50_000);

    /** Where a test can do something, or let something fail. */
    enum Step {
        PASS,
        PASS_END,
        FLUSH,
        CALLS_SEEN,
        RUN_CALLS,
        ARM,
        ON_EVENT,
        ON_REST,
        MAY_END,
        ON_END
    }

    private final Loopback loopback = new Loopback();
    private final Poller poller;
    private final Queue<Runnable> calls = new ConcurrentLinkedQueue<>();
    private final Map<Long, TestWaiter> written = new ConcurrentHashMap<>();
    private final AtomicLong ids = new AtomicLong();
    private final Map<Step, Queue<Runnable>> actions = new ConcurrentHashMap<>();
    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger clashes = new AtomicInteger();
    private volatile boolean mayEnd = true;
    private volatile boolean isInUse = true;

    LoopbackWork(String name, PollerOptions options) {
        this(name, options, Thread.ofPlatform().daemon(true).factory());
    }

    LoopbackWork(String name, PollerOptions options, ThreadFactory threads) {
        poller = new Poller(name, loopback.channel(), this, options, threads);
        poller.start();
    }

    LoopbackWork() {
        this("poller-test", SPINNING);
    }

    Poller poller() {
        return poller;
    }

    Optional<Poller> toAwait() {
        return Optional.of(poller);
    }

    /** Runs something inside the turn. */
    void execute(Runnable call) {
        leave(call);
        poller.wake();
    }

    /** Leaves something to the next pass, as one does if {@link Poller#isPassDue}. */
    void leave(Runnable call) {
        calls.add(call);
    }

    /** Ends a waiter by a completion. */
    void write(TestWaiter waiter) {
        execute(() -> post(waiter));
    }

    private void post(TestWaiter waiter) {
        long id = ids.incrementAndGet();
        written.put(id, waiter);
        if (!loopback.tryWrite(id)) {
            throw new AssertionError("more than " + Loopback.REQUESTS + " writes");
        }
    }

    /** Does something the next time a step is reached, in whichever thread that is. */
    void onNext(Step step, Runnable action) {
        actions.computeIfAbsent(step, _ -> new ConcurrentLinkedQueue<>()).add(action);
    }

    /** Lets a step fail the next time. */
    void failNext(Step step, Throwable fault) {
        onNext(step, () -> LoopbackWork.<RuntimeException>throwAny(fault));
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void throwAny(Throwable fault) throws T {
        throw (T) fault;
    }

    /** {@return whether every action was done} */
    boolean isAllDone() {
        return actions.values().stream().allMatch(Queue::isEmpty);
    }

    private void reach(Step step) {
        Queue<Runnable> left = actions.get(step);
        Runnable action = left == null ? null : left.poll();
        if (action != null) {
            action.run();
        }
    }

    void mayEnd(boolean may) {
        mayEnd = may;
    }

    void isInUse(boolean is) {
        isInUse = is;
    }

    /** {@return how often two threads were inside the turn at once} */
    int clashes() {
        return clashes.get();
    }

    private void enter(Step step) {
        if (inside.incrementAndGet() != 1) {
            clashes.incrementAndGet();
        }
        try {
            reach(step);
        } catch (Throwable e) {
            exit();
            throw e;
        }
    }

    private void exit() {
        inside.decrementAndGet();
    }

    @Override
    public int pass() {
        enter(Step.PASS);
        try {
            int count = drainCalls() + loopback.poll(id -> written.remove(id).finish());
            reach(Step.PASS_END);
            return count;
        } finally {
            exit();
        }
    }

    private int drainCalls() {
        int count = 0;
        for (Runnable call = calls.poll(); call != null; call = calls.poll()) {
            call.run();
            count++;
        }
        return count;
    }

    @Override
    public void flush() {
        reach(Step.FLUSH);
    }

    @Override
    public boolean hasCalls() {
        boolean has = !calls.isEmpty();
        reach(Step.CALLS_SEEN);
        return has;
    }

    @Override
    public void runCalls() {
        enter(Step.RUN_CALLS);
        try {
            drainCalls();
        } finally {
            exit();
        }
    }

    @Override
    public void arm() {
        enter(Step.ARM);
        try {
            loopback.arm();
        } finally {
            exit();
        }
    }

    @Override
    public boolean isWatching() {
        return false;
    }

    @Override
    public boolean isInUse() {
        return isInUse;
    }

    @Override
    public void onRest() {
        reach(Step.ON_REST);
    }

    @Override
    public void onEvent(CompletionQueue queue) {
        loopback.acknowledge();
        reach(Step.ON_EVENT);
    }

    @Override
    public boolean mayEnd() {
        reach(Step.MAY_END);
        return mayEnd && written.isEmpty() && calls.isEmpty();
    }

    @Override
    public void onEnd() {
        reach(Step.ON_END);
    }

    /** Stops the poller and waits for its end. */
    @Override
    public void close() {
        mayEnd = true;
        poller.stop();
        poller.awaitEnd();
        loopback.close();
    }
}
