// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import io.verbena.verbs.ConnectionEventType;
import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.spi.ConnectionState;
import io.verbena.verbs.spi.QueuedEventChannel;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The connection manager of an open device: one {@code rdma_event_channel} for all identifiers, and
 * the thread that takes its events, moves queue pairs to their next state and reports the rest to
 * the application.
 *
 * <p>There is one channel, though an application may have many, for three reasons. A handshake
 * continues whether or not the application asks for events, as the API promises. The events of an
 * identifier that migrates stay in order, because one thread handles them all. And an event channel
 * of the application costs neither a descriptor nor a thread; blocking connections have one each.
 *
 * <p>{@code lock} guards the start and the end, and ensures that no identifier is created after the
 * end.
 */
final class CmEventLoop implements AutoCloseable {
    private static final long PAUSE_NS = 100_000_000;

    private final NativeDeviceContext context;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Long, NativeConnectionIdentifier> identifiers = new ConcurrentHashMap<>();
    private final Set<CmIdentifier> handles = ConcurrentHashMap.newKeySet();
    private final Set<QueuedEventChannel> channels = ConcurrentHashMap.newKeySet();
    private final AtomicLong lastKey = new AtomicLong();
    private Optional<Running> running = Optional.empty();
    private boolean isClosed;

    /** No more events are taken. */
    private volatile boolean hasEnded;

    /** Where events come from. */
    interface Source {
        /** {@return the next event, or empty if there is none now} As {@link CmChannel#next}. */
        Optional<CmEvent> next(NativeCall call, MemorySegment word);
    }

    /** What exists from the first use to the end. */
    private record Running(CmChannel channel, WatchedDescriptor descriptor, Thread thread) {}

    CmEventLoop(NativeDeviceContext context) {
        this.context = context;
    }

    NativeDeviceContext context() {
        return context;
    }

    /**
     * Starts, unless it has already started.
     *
     * @throws io.verbena.verbs.VerbsException if there is no connection manager; the message says
     *     what to do
     */
    void start() {
        lock.lock();
        try {
            checkOpen();
            if (running.isEmpty()) {
                running = Optional.of(run(CmChannel.create()));
            }
        } finally {
            lock.unlock();
        }
    }

    private Running run(CmChannel channel) {
        String name = "connection manager of " + context.device().name();
        try {
            WatchedDescriptor descriptor = context.watch(channel.descriptor(), name);
            try {
                return new Running(channel, descriptor, start(channel::next, descriptor));
            } catch (Throwable e) { // even for want of a thread
                descriptor.close();
                throw e;
            }
        } catch (Throwable e) {
            channel.destroy();
            throw e;
        }
    }

    private Thread start(Source source, WatchedDescriptor descriptor) {
        return Thread.ofPlatform()
                .name("verbena-cm-" + context.device().name())
                .daemon()
                .start(() -> handleUntilEnd(source, descriptor));
    }

    /** Tells an event channel when no more events will come. */
    void add(QueuedEventChannel channel) {
        channels.add(channel);
        if (hasEnded) {
            channel.fail();
        }
    }

    void forget(QueuedEventChannel channel) {
        channels.remove(channel);
    }

    /** {@return a new identifier, known to the loop} */
    NativeConnectionIdentifier createIdentifier(QueuedEventChannel reportsTo) {
        lock.lock();
        try {
            checkOpen();
            long key = lastKey.incrementAndGet();
            CmIdentifier handle = handle(running.orElseThrow().channel().createIdentifier(key));
            NativeConnectionIdentifier made =
                    new NativeConnectionIdentifier(
                            this, key, handle, ConnectionState.IDLE, Optional.of(reportsTo));
            identifiers.put(key, made);
            return made;
        } finally {
            lock.unlock();
        }
    }

    private CmIdentifier handle(long address) {
        CmIdentifier handle = new CmIdentifier(address, handles::remove);
        handles.add(handle);
        return handle;
    }

    /** {@return an identifier for an incoming request, known to the loop} */
    NativeConnectionIdentifier adopt(CmIdentifier handle) {
        long key = lastKey.incrementAndGet();
        handle.key(key);
        NativeConnectionIdentifier made =
                new NativeConnectionIdentifier(
                        this, key, handle, ConnectionState.REQUESTED, Optional.empty());
        identifiers.put(key, made);
        return made;
    }

    /** Drops the events of an identifier from now on. */
    void forget(long key) {
        identifiers.remove(key);
    }

    /** Runs until the descriptor is closed. Without it, no connection would begin or end. */
    void handleUntilEnd(Source source, WatchedDescriptor descriptor) {
        boolean isOver = false;
        while (!isOver) {
            try (NativeCall call = NativeCall.begin()) {
                handleAll(source, call);
                isOver = !awaitMore(descriptor);
            } catch (Throwable e) { // even for want of memory
                Uncaught.report(e);
                // what comes back at once must not fill the log at full speed
                LockSupport.parkNanos(PAUSE_NS);
            }
        }
        // unless the loop was closed, those who wait have not been told
        hasEnded = true;
        channels.forEach(QueuedEventChannel::fail);
    }

    private void handleAll(Source source, NativeCall call) {
        MemorySegment word = call.allocateWord();
        Optional<CmEvent> event = source.next(call, word);
        while (event.isPresent()) {
            handleSafely(event.get());
            event = source.next(call, word);
        }
    }

    private static boolean awaitMore(WatchedDescriptor descriptor) {
        try {
            return descriptor.awaitReadable(WatchedDescriptor.FOR_EVER);
        } catch (IllegalStateException _) {
            // Closed: the end.
            return false;
        } catch (InterruptedException _) {
            // Nobody with access to this thread interrupts it, and it must not end for another
            // reason.
            return true;
        }
    }

    /** A failure of one connection must not end the others. */
    private void handleSafely(CmEvent event) {
        try {
            handle(event);
        } catch (Throwable e) { // even for want of memory
            Uncaught.report(e);
        }
    }

    private void handle(CmEvent event) {
        // Identifiers leave the map before they are destroyed: one that is found may be closed, but
        // is not freed.
        Optional<NativeConnectionIdentifier> owner =
                Optional.ofNullable(identifiers.get(event.key()));
        if (event.type() == ConnectionEventType.CONNECT_REQUEST) {
            CmIdentifier requested = handle(event.identifier());
            owner.ifPresentOrElse(
                    listener -> listener.onRequest(requested, event), requested::close);
        } else {
            owner.ifPresent(identifier -> identifier.onEvent(event));
        }
    }

    private void checkOpen() {
        if (isClosed) {
            throw new IllegalStateException("device context is closed");
        }
        if (hasEnded) {
            throw new VerbsException(
                    "rdma_get_cm_event", Errno.EIO, "the connection manager has failed");
        }
    }

    /**
     * Ends the thread, then the channel. All event channels are closed by now. If another thread is
     * still closing an identifier, this waits for it or closes it here.
     */
    @Override
    public void close() {
        lock.lock();
        try {
            isClosed = true;
            running.ifPresent(this::end);
            running = Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    private void end(Running ending) {
        ending.descriptor().close();
        ThreadEnd.await(ending.thread());
        List.copyOf(handles).forEach(CmIdentifier::close);
        ending.channel().destroy();
    }
}
