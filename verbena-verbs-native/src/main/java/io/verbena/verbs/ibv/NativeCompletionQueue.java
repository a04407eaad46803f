// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.spi.CompletionOverflow;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A completion queue of a system device; {@code ibv_cq}.
 *
 * <p>{@code lock}, which is the channel's if there is one, guards the number of users and of
 * unacknowledged events. It is held while the queue is destroyed, so that no event of it can be
 * read in the meantime: {@code ibv_destroy_cq} waits for the acknowledgement of every event that
 * was read.
 */
final class NativeCompletionQueue implements CompletionQueue {
    private final NativeDeviceContext context;
    private final Optional<NativeCompletionChannel> channel;
    private final long address;
    private final IbvPointers pointers;
    private final int depth;
    private final Gate gate = new Gate("completion queue");
    private final ReentrantLock lock;
    private final SendRooms rooms = new SendRooms();
    private volatile boolean isOverflowed;
    private int users;
    private int unacknowledged;

    private NativeCompletionQueue(
            NativeDeviceContext context, Optional<NativeCompletionChannel> channel, long address) {
        this.context = context;
        this.channel = channel;
        this.address = address;
        this.pointers = context.pointers();
        this.depth = IbvLayout.CQ_CQE.getInt(IbvLayout.CQ.at(address));
        this.lock = channel.map(NativeCompletionChannel::lock).orElseGet(ReentrantLock::new);
    }

    /** Called inside the context's gate and, if there is a channel, under its lock. */
    static NativeCompletionQueue create(
            NativeDeviceContext context,
            int depth,
            Optional<NativeCompletionChannel> channel,
            int vector) {
        try (NativeCall call = NativeCall.begin()) {
            long where = channel.map(NativeCompletionChannel::address).orElse(0L);
            long made = Ibverbs.ibv_create_cq(call, context.address(), depth, 0, where, vector);
            if (made == 0) {
                throw call.failure("ibv_create_cq", "depth: " + depth + ", vector: " + vector);
            }
            NativeCompletionQueue queue = new NativeCompletionQueue(context, channel, made);
            context.asyncEvents().add(made, queue);
            return queue;
        }
    }

    boolean isOf(NativeDeviceContext owner) {
        return context == owner;
    }

    /** {@return the address of the {@code ibv_cq}; valid while it is in use, see {@link #use}} */
    long address() {
        return address;
    }

    @Override
    public int depth() {
        gate.checkOpen();
        return depth;
    }

    @Override
    public int poll(WorkCompletion completions) {
        if (isOverflowed) {
            gate.checkOpen();
            throw CompletionOverflow.failure(depth);
        }
        // Fails if the cursor's memory is already freed; the driver would write to it.
        completions.memory().get(ValueLayout.JAVA_BYTE, 0);
        gate.enter();
        try {
            int count =
                    pointers.ibv_poll_cq(
                            address, completions.capacity(), completions.memory().address());
            if (count < 0) {
                throw broken(count);
            }
            if (count > 0) {
                rooms.onPolled(completions, count);
            }
            return count;
        } finally {
            gate.leave();
        }
    }

    private static VerbsException broken(int result) {
        return new VerbsException(
                "ibv_poll_cq",
                Errno.EIO,
                "the driver returned " + result + "; the queue may have overflowed");
    }

    @Override
    public void requestNotification(Notification notification) {
        gate.enter();
        try {
            if (channel.isEmpty()) {
                throw new IllegalStateException(
                        "completion queue has no channel; create it with one to get events");
            }
            int solicitedOnly = notification == Notification.SOLICITED ? 1 : 0;
            int result = pointers.ibv_req_notify_cq(address, solicitedOnly);
            NativeCall.check("ibv_req_notify_cq", result, "notification: " + notification);
        } finally {
            gate.leave();
        }
    }

    // Not inside the gate: a closer holds the lock while it waits for the gate to empty.
    @Override
    public void acknowledgeEvents(int count) {
        lock.lock();
        try {
            gate.checkOpen();
            if (count < 0 || count > unacknowledged) {
                throw new IllegalArgumentException(
                        "count: " + count + " (expected: 0.." + unacknowledged + ")");
            }
            acknowledge(count);
        } finally {
            lock.unlock();
        }
    }

    private void acknowledge(int count) {
        if (count > 0) {
            unacknowledged -= count;
            Ibverbs.ibv_ack_cq_events(address, count);
        }
    }

    /** The channel has read an event of this queue; called under the lock. */
    void onEvent() {
        unacknowledged++;
    }

    /**
     * Makes every later poll fail: the device has lost completions. Event thread only.
     *
     * @return whether this is the first call
     */
    boolean onOverflow() {
        boolean isFirst = !isOverflowed;
        isOverflowed = true;
        return isFirst;
    }

    /** Counts the completions of a send queue from now on. */
    void count(SendRoom room) {
        lock.lock();
        try {
            rooms.add(room);
        } finally {
            lock.unlock();
        }
    }

    /** Stops counting for a send queue that is gone. */
    void discount(SendRoom room) {
        lock.lock();
        try {
            rooms.remove(room);
        } finally {
            lock.unlock();
        }
    }

    /** A queue pair starts using it. */
    void use() {
        lock.lock();
        try {
            gate.checkOpen();
            users++;
        } finally {
            lock.unlock();
        }
    }

    /** A queue pair that used it is gone. */
    void release() {
        lock.lock();
        try {
            users--;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            if (users > 0) {
                throw new VerbsException(
                        "ibv_destroy_cq",
                        Errno.EBUSY,
                        "queue pairs that use it: " + users + " (expected: 0); close them first");
            }
            gate.close(this::free);
        } finally {
            lock.unlock();
        }
    }

    private void free() {
        channel.ifPresent(own -> own.forget(address));
        acknowledge(unacknowledged);
        try (NativeCall call = NativeCall.begin()) {
            int result = Ibverbs.ibv_destroy_cq(call, address);
            NativeCall.check("ibv_destroy_cq", result, "depth: " + depth);
        } finally {
            context.asyncEvents().remove(address, this);
            // Last: a parent that closes in the meantime still finds it and waits.
            context.forget(this);
        }
    }

    @Override
    public String toString() {
        return "completion queue of " + depth;
    }
}
