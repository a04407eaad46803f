// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.Errno;
import io.verbena.verbs.spi.EventQueue;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The asynchronous events of an open device; {@code ibv_get_async_event}. The watcher's thread
 * reads them whether or not anybody asks for them: a completion queue must know that it has
 * overflowed. An event is copied and acknowledged as soon as it is read, so a thread that destroys
 * an object does not wait long for it.
 *
 * <p>Events identify objects by address. An address cannot be reused between reading an event and
 * acknowledging it, because the library keeps the object until then; so the look-up happens in
 * between. Once an object is destroyed, its unread events are dropped.
 */
final class AsyncEvents {
    private final NativeDeviceContext context;
    private final EventQueue<AsyncEvent> events;
    private final AtomicBoolean isStarted = new AtomicBoolean();
    private final Map<Long, NativeQueuePair> pairs = new ConcurrentHashMap<>();
    private final Map<Long, NativeCompletionQueue> queues = new ConcurrentHashMap<>();

    AsyncEvents(NativeDeviceContext context) {
        this.context = context;
        this.events = new EventQueue<>(context.toString());
    }

    void add(long address, NativeQueuePair pair) {
        pairs.put(address, pair);
    }

    void add(long address, NativeCompletionQueue queue) {
        queues.put(address, queue);
    }

    /** Called when the queue pair is destroyed and no event of it can be read any more. */
    void remove(long address, NativeQueuePair pair) {
        // Another object may have its address by now.
        pairs.remove(address, pair);
        events.remove(event -> event.queuePair().filter(of -> of == pair).isPresent());
    }

    /** Called when the completion queue is destroyed, as for a queue pair. */
    void remove(long address, NativeCompletionQueue queue) {
        queues.remove(address, queue);
        events.remove(event -> event.completionQueue().filter(of -> of == queue).isPresent());
    }

    /** Starts reading, unless it has already started; called inside the context's gate. */
    void start() {
        if (isStarted.compareAndSet(false, true)) {
            try {
                context.handle(context.asyncDescriptor(), this::readAll);
            } catch (RuntimeException e) {
                isStarted.set(false);
                throw e;
            }
        }
    }

    /**
     * {@return the next event, or empty if none came in time}
     *
     * @param nanos how long to wait
     */
    Optional<AsyncEvent> await(long nanos) throws InterruptedException {
        context.inside(this::start);
        return events.take(nanos);
    }

    /**
     * Runs on the watcher's thread, which ends before the device is closed, so no gate is needed.
     */
    private void readAll() {
        try (NativeCall call = NativeCall.begin()) {
            MemorySegment event = call.allocate(IbvLayout.ASYNC_EVENT);
            while (read(call, event)) {
                // Before the acknowledgement, because a thread that destroys the object waits for
                // that.
                translate(event).ifPresent(events::add);
                Ibverbs.ibv_ack_async_event(event.address());
            }
        }
    }

    private boolean read(NativeCall call, MemorySegment event) {
        int result = Ibverbs.ibv_get_async_event(call, context.address(), event.address());
        if (result != 0 && call.errno() != Errno.EAGAIN) {
            throw call.failure("ibv_get_async_event", "of " + context.device().name());
        }
        return result == 0;
    }

    /** {@return the event, or empty if its object is closed or has already reported the same} */
    private Optional<AsyncEvent> translate(MemorySegment event) {
        AsyncEventType type = AsyncEventType.of(IbvLayout.ASYNC_EVENT_TYPE.getInt(event));
        long element = IbvLayout.ASYNC_EVENT_ELEMENT.get(event);
        return switch (type) {
            case CQ_ERROR ->
                    // Soft-RoCE reports this once per lost completion.
                    Optional.ofNullable(queues.get(element))
                            .filter(NativeCompletionQueue::onOverflow)
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

    /** Wakes the waiting threads. */
    void close() {
        events.close();
    }
}
