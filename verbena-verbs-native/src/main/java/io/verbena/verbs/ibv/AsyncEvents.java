// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;
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
final class AsyncEvents implements DescriptorWatcher.Handler {
    /** What it asks of an open device. */
    interface Source {
        /** Lets a handler read from now on. */
        void start(DescriptorWatcher.Handler handler);

        /**
         * {@return whether there was an event}
         *
         * @throws VerbsException if no more can be read
         */
        boolean read(NativeCall call, MemorySegment event);

        /** Lets those go on who want to destroy the event's object. */
        void acknowledge(MemorySegment event);

        /** {@return the type of an event that was read} */
        default AsyncEventType type(MemorySegment event) {
            return AsyncEventType.of(IbvLayout.ASYNC_EVENT_TYPE.getInt(event));
        }
    }

    /** The library's. */
    private record OfContext(NativeDeviceContext context) implements Source {
        @Override
        public void start(DescriptorWatcher.Handler handler) {
            context.inside(() -> context.handle(context.asyncDescriptor(), handler));
        }

        @Override
        public boolean read(NativeCall call, MemorySegment event) {
            int result = Ibverbs.ibv_get_async_event(call, context.address(), event.address());
            if (result == 0) {
                return true;
            }
            // after a signal, the watcher's thread tries again
            if (call.errno() == Errno.EAGAIN || call.errno() == LinuxLayout.EINTR.value()) {
                return false;
            }
            throw call.failure("ibv_get_async_event", "of " + context.device().name());
        }

        @Override
        public void acknowledge(MemorySegment event) {
            Ibverbs.ibv_ack_async_event(event.address());
        }
    }

    private final Source source;
    private final EventQueue<AsyncEvent> events;
    private final AtomicBoolean isStarted = new AtomicBoolean();
    private final Map<Long, NativeQueuePair> pairs = new ConcurrentHashMap<>();
    private final Map<Long, NativeCompletionQueue> queues = new ConcurrentHashMap<>();

    /** Why no more events can be read, if that is so. */
    private volatile Optional<VerbsException> failure = Optional.empty();

    AsyncEvents(NativeDeviceContext context) {
        this(new OfContext(context), context.toString());
    }

    /** For tests, too. */
    AsyncEvents(Source source, String name) {
        this.source = source;
        this.events = new EventQueue<>(name);
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

    /** Starts reading, unless it has already started. */
    void start() {
        if (isStarted.compareAndSet(false, true)) {
            try {
                source.start(this);
            } catch (RuntimeException | Error e) {
                isStarted.set(false);
                throw e;
            }
        }
    }

    /**
     * {@return the next event, or empty if none came in time}
     *
     * @param nanos how long to wait
     * @throws VerbsException if no more can be read
     */
    Optional<AsyncEvent> await(long nanos) throws InterruptedException {
        start();
        try {
            return events.take(nanos);
        } catch (IllegalStateException e) {
            failure.ifPresent(AsyncEvents::refuse);
            throw e;
        }
    }

    private static void refuse(VerbsException cause) {
        throw new VerbsException(
                cause.verb(), cause.errno(), "no more events of this device can be read", cause);
    }

    /**
     * Runs on the watcher's thread, which ends before the device is closed, so no gate is needed.
     */
    @Override
    public void onReadable() {
        try (NativeCall call = NativeCall.begin()) {
            MemorySegment event = call.allocate(IbvLayout.ASYNC_EVENT);
            while (source.read(call, event)) {
                try {
                    translate(event).ifPresent(events::add);
                } finally {
                    // Last, and whatever happens: a thread that destroys the object waits for it.
                    source.acknowledge(event);
                }
            }
        }
    }

    @Override
    public void onFailure(VerbsException cause) {
        failure = Optional.of(cause);
        events.close();
    }

    /** {@return the event, or empty if its object is closed or has already reported the same} */
    private Optional<AsyncEvent> translate(MemorySegment event) {
        AsyncEventType type = source.type(event);
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
