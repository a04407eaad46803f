// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.spi.CompletionOverflow;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A completion queue of the software device: completions that wait to be polled, and the events
 * that announce them. A poll that finds none makes the {@link PairScheduler} run queue pairs.
 */
final class SoftCompletionQueue implements CompletionQueue {
    private static final VarHandle OVERFLOWED;

    static {
        try {
            OVERFLOWED =
                    MethodHandles.lookup()
                            .findVarHandle(
                                    SoftCompletionQueue.class, "isOverflowed", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final SoftDeviceContext context;
    private final SoftDevice device;
    private final SoftCompletionChannel channel;
    private final int depth;
    private final CompletionRing ring;
    private final PairScheduler scheduler;
    private final CompletionEvents.Place events = new CompletionEvents.Place(this);
    private final AtomicInteger unacknowledged = new AtomicInteger();
    private final Arm arm = new Arm();
    private volatile boolean isOverflowed;
    private volatile boolean isClosed;

    SoftCompletionQueue(
            SoftDeviceContext context, int depth, SoftCompletionChannel channel, long area) {
        this.context = context;
        this.device = context.softDevice();
        this.channel = channel;
        this.depth = depth;
        this.ring = new CompletionRing(depth);
        this.scheduler = new PairScheduler(device.bells(), area, device.background());
    }

    /** {@return the scheduler of its queue pairs} */
    PairScheduler scheduler() {
        return scheduler;
    }

    @Override
    public int depth() {
        checkOpen();
        return depth;
    }

    @Override
    public int poll(WorkCompletion completions) {
        if (isClosed || isOverflowed) {
            throw unusable();
        }
        scheduler.countPoll();
        // existing completions first: executing more requests than the caller has seen would use up
        // receives it has had no chance to post again
        int taken = ring.take(completions);
        if (taken > 0) {
            return taken;
        }
        scheduler.progress();
        return ring.take(completions);
    }

    /** Adds a completion; called inside a queue pair's turn. */
    void push(
            QueuePairEngine pair,
            long id,
            int kind,
            int length,
            int immediate,
            long index,
            boolean isSolicited) {
        if (!ring.offer(pair, id, kind, length, immediate, index)) {
            overflow();
            return;
        }
        boolean isFailure = (kind & 0xFF) != 0;
        if (channel != null && arm.fire(isSolicited || isFailure)) {
            channel.post(events);
        }
    }

    private void overflow() {
        if (OVERFLOWED.compareAndSet(this, false, true)) {
            context.report(AsyncEvent.of(AsyncEventType.CQ_ERROR, this));
            device.background().submit(this::failMembers);
        }
    }

    private void failMembers() {
        for (QueuePairEngine pair : scheduler.members().all()) {
            if (pair != null) {
                pair.failOverflowed();
            }
        }
    }

    @Override
    public void requestNotification(Notification notification) {
        checkOpen();
        if (channel == null) {
            throw new VerbsException(
                    "ibv_req_notify_cq",
                    Errno.EINVAL,
                    "completion queue without a channel (expected: one made with a channel)");
        }
        scheduler.handOver();
        if (notification == Notification.ANY) {
            arm.any();
        } else {
            arm.solicited();
        }
    }

    @Override
    public void acknowledgeEvents(int count) {
        checkOpen();
        int waiting = unacknowledged.get();
        if (count < 0 || count > waiting) {
            throw new IllegalArgumentException(
                    "count: " + count + " (expected: 0.." + waiting + ")");
        }
        unacknowledged.addAndGet(-count);
    }

    /** {@return its place among those that had an event} */
    CompletionEvents.Place events() {
        return events;
    }

    void eventTaken() {
        unacknowledged.incrementAndGet();
    }

    boolean isOf(SoftDeviceContext owner) {
        return context == owner && !isClosed;
    }

    @Override
    public void close() {
        if (!scheduler.members().close()) {
            return;
        }
        isClosed = true;
        if (channel != null) {
            channel.forget(this);
        }
        context.forget(this);
        device.forget(this);
    }

    private void checkOpen() {
        if (isClosed) {
            throw new IllegalStateException("completion queue is closed");
        }
    }

    private RuntimeException unusable() {
        return isClosed
                ? new IllegalStateException("completion queue is closed")
                : CompletionOverflow.failure(depth);
    }

    @Override
    public String toString() {
        return "completion queue of " + depth;
    }
}
