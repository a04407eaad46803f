// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Errno;
import io.verbena.verbs.QueuePair;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The asynchronous events of an open device; {@code ibv_get_async_event}. An event is copied and
 * acknowledged as soon as it is read, so that nobody who destroys an object waits for it.
 *
 * <p>Events name objects by address. An address cannot be reused between reading an event and
 * acknowledging it, because the library keeps the object until then; so the look-up comes in
 * between. Events of an object that is being closed find nobody and are dropped.
 *
 * <p>{@code reading} lets one thread read at a time. Nothing is taken under it but the context's
 * gate.
 */
final class AsyncEvents {
    private final NativeDeviceContext context;
    private final ReentrantLock reading = new ReentrantLock();
    private final Map<Long, QueuePair> pairs = new ConcurrentHashMap<>();
    private final Map<Long, CompletionQueue> queues = new ConcurrentHashMap<>();
    private Optional<WatchedDescriptor> watched = Optional.empty();

    AsyncEvents(NativeDeviceContext context) {
        this.context = context;
    }

    void add(long address, QueuePair pair) {
        pairs.put(address, pair);
    }

    void add(long address, CompletionQueue queue) {
        queues.put(address, queue);
    }

    /** Called before the object at the address is destroyed. */
    void remove(long address) {
        pairs.remove(address);
        queues.remove(address);
    }

    /**
     * {@return the next event, or nothing if none came in time}
     *
     * @param deadlineNs see {@link WatchedDescriptor#awaitReadable}
     */
    Optional<AsyncEvent> await(long deadlineNs) throws InterruptedException {
        WatchedDescriptor descriptor = descriptor();
        do {
            Optional<AsyncEvent> event = poll();
            if (event.isPresent()) {
                return event;
            }
        } while (descriptor.awaitReadable(deadlineNs));
        return Optional.empty();
    }

    /** The first wait makes the descriptor non-blocking. */
    private WatchedDescriptor descriptor() throws InterruptedException {
        reading.lockInterruptibly();
        try {
            if (watched.isEmpty()) {
                watched = Optional.of(context.watch(context.asyncDescriptor(), context.toString()));
            }
            return watched.get();
        } finally {
            reading.unlock();
        }
    }

    private Optional<AsyncEvent> poll() throws InterruptedException {
        reading.lockInterruptibly();
        try {
            return context.inside(this::read);
        } finally {
            reading.unlock();
        }
    }

    private Optional<AsyncEvent> read() {
        try (NativeCall call = NativeCall.begin()) {
            MemorySegment event = call.allocate(IbvLayout.ASYNC_EVENT);
            Optional<AsyncEvent> found = Optional.empty();
            while (found.isEmpty() && read(call, event)) {
                found = translate(event);
                Ibverbs.ibv_ack_async_event(event.address());
            }
            return found;
        }
    }

    private boolean read(NativeCall call, MemorySegment event) {
        int result = Ibverbs.ibv_get_async_event(call, context.address(), event.address());
        if (result != 0 && call.errno() != Errno.EAGAIN) {
            throw call.failure("ibv_get_async_event", "of " + context.device().name());
        }
        return result == 0;
    }

    /** {@return the event, or nothing if its object is being closed} */
    private Optional<AsyncEvent> translate(MemorySegment event) {
        AsyncEventType type = AsyncEventType.of(IbvLayout.ASYNC_EVENT_TYPE.getInt(event));
        long element = IbvLayout.ASYNC_EVENT_ELEMENT.get(event);
        return switch (type) {
            case CQ_ERROR ->
                    Optional.ofNullable(queues.get(element))
                            .map(queue -> AsyncEvent.of(type, queue));
            case QP_FATAL,
                    QP_REQUEST_ERROR,
                    QP_ACCESS_ERROR,
                    COMMUNICATION_ESTABLISHED,
                    SEND_QUEUE_DRAINED,
                    PATH_MIGRATED,
                    PATH_MIGRATION_ERROR,
                    QP_LAST_WQE_REACHED ->
                    Optional.ofNullable(pairs.get(element)).map(pair -> AsyncEvent.of(type, pair));
            // Nothing here makes shared receive queues or newer objects.
            case SRQ_ERROR, SRQ_LIMIT_REACHED, UNRECOGNIZED -> Optional.of(AsyncEvent.of(type, 0));
            default ->
                    Optional.of(AsyncEvent.of(type, IbvLayout.ASYNC_EVENT_PORT_NUM.getInt(event)));
        };
    }
}
