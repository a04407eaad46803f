// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import io.verbena.verbs.CompletionChannel;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Errno;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * A completion channel of a system device; {@code ibv_comp_channel}. Reading never blocks; a thread
 * that finds nothing waits on the {@link WatchedDescriptor}.
 *
 * <p>{@code lock} is held for one read, while a completion queue is created, and while the channel
 * or one of its queues is closed. It is never held while waiting for an event.
 */
final class NativeCompletionChannel implements CompletionChannel {
    private final NativeDeviceContext context;
    private final long address;
    private final WatchedDescriptor descriptor;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Long, NativeCompletionQueue> queues = new HashMap<>();
    private boolean isClosed;

    private NativeCompletionChannel(
            NativeDeviceContext context, long address, WatchedDescriptor descriptor) {
        this.context = context;
        this.address = address;
        this.descriptor = descriptor;
    }

    /** Called inside the context's gate. */
    static NativeCompletionChannel create(NativeDeviceContext context) {
        try (NativeCall call = NativeCall.begin()) {
            long made = Ibverbs.ibv_create_comp_channel(call, context.address());
            if (made == 0) {
                throw call.failure("ibv_create_comp_channel", "on " + context.device().name());
            }
            int number = IbvLayout.COMP_CHANNEL_FD.getInt(IbvLayout.COMP_CHANNEL.at(made));
            try {
                WatchedDescriptor watched = context.watch(number, "completion channel");
                return new NativeCompletionChannel(context, made, watched);
            } catch (Throwable e) { // even for want of memory
                Ibverbs.ibv_destroy_comp_channel(call, made);
                throw e;
            }
        }
    }

    /** {@return the address of the {@code ibv_comp_channel}; use it under the lock} */
    long address() {
        return address;
    }

    ReentrantLock lock() {
        return lock;
    }

    boolean isOf(NativeDeviceContext owner) {
        return context == owner;
    }

    /** {@return a new queue that reports here} */
    NativeCompletionQueue add(Supplier<NativeCompletionQueue> create) {
        lock.lock();
        try {
            if (isClosed) {
                throw new IllegalArgumentException("channel: closed (expected: an open one)");
            }
            NativeCompletionQueue queue = create.get();
            queues.put(queue.address(), queue);
            return queue;
        } finally {
            lock.unlock();
        }
    }

    /** A queue is about to be destroyed; called under the lock. */
    void forget(long queue) {
        queues.remove(queue);
    }

    @Override
    public CompletionQueue awaitEvent() throws InterruptedException {
        return await(WatchedDescriptor.FOR_EVER)
                .orElseThrow(() -> new AssertionError("a wait without limit has ended"));
    }

    @Override
    public Optional<CompletionQueue> awaitEvent(Duration timeout) throws InterruptedException {
        return await(WatchedDescriptor.deadline(TimeUnit.NANOSECONDS.convert(timeout)));
    }

    private Optional<CompletionQueue> await(long deadlineNs) throws InterruptedException {
        do {
            Optional<CompletionQueue> queue = poll();
            if (queue.isPresent()) {
                return queue;
            }
        } while (descriptor.awaitReadable(deadlineNs));
        return Optional.empty();
    }

    private Optional<CompletionQueue> poll() throws InterruptedException {
        lock.lockInterruptibly();
        try (NativeCall call = NativeCall.begin()) {
            if (isClosed) {
                throw new IllegalStateException("completion channel is closed");
            }
            MemorySegment queue = call.allocateWord();
            MemorySegment unused = call.allocateWord();
            int result = Ibverbs.ibv_get_cq_event(call, address, queue.address(), unused.address());
            if (result == 0) {
                return Optional.of(taken(queue.get(ValueLayout.JAVA_LONG, 0)));
            }
            if (call.errno() != Errno.EAGAIN) {
                throw call.failure("ibv_get_cq_event", "on " + context.device().name());
            }
            return Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    /** The kernel drops the events of a destroyed queue; queues are destroyed under this lock. */
    private CompletionQueue taken(long where) {
        NativeCompletionQueue queue = queues.get(where);
        if (queue == null) {
            throw new AssertionError("an event of no completion queue of this channel");
        }
        queue.onEvent();
        return queue;
    }

    @Override
    public void close() {
        lock.lock();
        try {
            if (isClosed) {
                return;
            }
            // A queue in use refuses to close; then the channel stays open too.
            List.copyOf(queues.values()).forEach(NativeCompletionQueue::close);
            isClosed = true;
            free();
        } finally {
            lock.unlock();
        }
    }

    private void free() {
        descriptor.close();
        try (NativeCall call = NativeCall.begin()) {
            int result = Ibverbs.ibv_destroy_comp_channel(call, address);
            NativeCall.check("ibv_destroy_comp_channel", result, "on " + context.device().name());
        } finally {
            // Last: a parent that closes in the meantime still finds it and waits.
            context.forget(this);
        }
    }
}
