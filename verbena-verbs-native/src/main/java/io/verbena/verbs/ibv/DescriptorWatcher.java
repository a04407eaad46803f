// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import io.verbena.verbs.VerbsException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Waits for the file descriptors of an open device, so that a thread that waits for events only
 * parks: a virtual thread releases its carrier, and every thread can be interrupted, can have a
 * timeout, and is woken when the object it waits on is closed.
 *
 * <p>One platform thread, {@code verbena-ibv-events}, starts with the first descriptor and ends
 * with {@link #close}. It sleeps in {@code epoll_wait}, with no time limit unless a report could
 * not be delivered. When a {@link WatchedDescriptor} becomes readable it only wakes the waiters;
 * the device's asynchronous events it reads itself. It calls no user code. It ends early only if
 * {@code epoll_wait} fails: then all descriptors are closed, and no more can be watched.
 *
 * <p>{@code lock} guards the start and the end. No other lock is taken under it.
 */
final class DescriptorWatcher implements AutoCloseable {
    /** Reads a descriptor on the watcher's thread. */
    interface Handler {
        /** Reads everything available, without blocking. Called again soon if it throws. */
        void onReadable();

        /**
         * Nothing will be read any more: a read, or the watcher, has failed for good. Throws
         * nothing.
         */
        void onFailure(VerbsException cause);
    }

    /** How the thread waits; {@code epoll_wait}. */
    interface Wait {
        /** {@return how many events were stored, or a negative number and {@code errno}} */
        int await(NativeCall call, int epoll, long events, int most, int timeoutMs);
    }

    private static final int BATCH = 16;
    private static final int PAUSE_MS = 100;
    private static final long PAUSE_NS = PAUSE_MS * 1_000_000L;

    /** No time limit. */
    private static final int FOREVER = -1;

    /** The number of the wake-up descriptor; watched descriptors are numbered from 1. */
    private static final long WAKE_UP = 0;

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Long, WatchedDescriptor> watched = new ConcurrentHashMap<>();
    private final Map<Long, Handler> handlers = new ConcurrentHashMap<>();
    private final Wait wait;
    private long lastKey = WAKE_UP;
    private boolean isStarted;
    private boolean isClosed;
    // Set by start, before anybody can hold a descriptor, and constant from then on.
    private int epoll;
    private int wakeUp;
    private Thread thread;

    /** Why nothing can be watched any more, if that is so. Guarded by the lock. */
    private Optional<VerbsException> failure = Optional.empty();

    /** Reports may have been lost. The watcher's thread. */
    private boolean hasMissed;

    DescriptorWatcher() {
        this(Libc::epoll_wait);
    }

    /** For tests, too. */
    DescriptorWatcher(Wait wait) {
        this.wait = wait;
    }

    /**
     * Starts watching a descriptor and makes it non-blocking. The caller closes it after {@link
     * WatchedDescriptor#close}.
     *
     * @param descriptor an open file descriptor that can be polled
     * @param name the owner's name, for messages
     */
    WatchedDescriptor watch(int descriptor, String name) {
        lock.lock();
        try {
            long key = ++lastKey;
            WatchedDescriptor made = new WatchedDescriptor(this, descriptor, key, name);
            // No events yet: each wait asks for one.
            add(descriptor, key, made, 0);
            watched.put(key, made);
            return made;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Makes the watcher's thread read a descriptor until {@link #close}, or until its handler
     * throws a {@link VerbsException}. Makes it non-blocking.
     *
     * @param descriptor an open file descriptor that can be polled; it must outlive the watcher
     * @param handler called on the watcher's thread
     */
    void handle(int descriptor, Handler handler) {
        lock.lock();
        try {
            long key = ++lastKey;
            Reading reading = new Reading(handler, descriptor, key);
            add(descriptor, key, reading, LinuxLayout.EPOLLIN.value());
        } finally {
            lock.unlock();
        }
    }

    private void add(int descriptor, long key, Handler handler, int events) {
        try (NativeCall call = NativeCall.begin()) {
            if (isClosed) {
                throw new IllegalStateException("device context is closed");
            }
            failure.ifPresent(DescriptorWatcher::refuse);
            start(call);
            makeNonBlocking(call, descriptor);
            handlers.put(key, handler);
            control(call, LinuxLayout.EPOLL_CTL_ADD, descriptor, key, events);
        } catch (Throwable e) {
            handlers.remove(key);
            throw e;
        }
    }

    private static void refuse(VerbsException cause) {
        throw new VerbsException(
                cause.verb(), cause.errno(), "events of this device cannot be awaited", cause);
    }

    /** What reads a descriptor on the watcher's thread, until there is nothing more to be read. */
    private final class Reading implements Handler {
        private final Handler handler;
        private final int descriptor;
        private final long key;

        Reading(Handler handler, int descriptor, long key) {
            this.handler = handler;
            this.descriptor = descriptor;
            this.key = key;
        }

        @Override
        public void onReadable() {
            try {
                handler.onReadable();
            } catch (VerbsException e) { // it would be called again at once, for ever
                Uncaught.report(e);
                handler.onFailure(e);
                forget(descriptor, key);
            }
        }

        @Override
        public void onFailure(VerbsException cause) {
            handler.onFailure(cause);
        }
    }

    private void start(NativeCall call) {
        if (isStarted) {
            return;
        }
        epoll = check(call, "epoll_create1", Libc.epoll_create1(call, epollFlags()));
        try {
            startThread(call);
            isStarted = true;
        } finally {
            if (!isStarted) {
                Libc.close(call, epoll);
            }
        }
    }

    private void startThread(NativeCall call) {
        wakeUp = check(call, "eventfd", Libc.eventfd(call, 0, LinuxLayout.EFD_CLOEXEC.value()));
        boolean isRunning = false;
        try {
            control(call, LinuxLayout.EPOLL_CTL_ADD, wakeUp, WAKE_UP, LinuxLayout.EPOLLIN.value());
            thread =
                    Thread.ofPlatform()
                            .name("verbena-ibv-events")
                            .daemon()
                            .start(this::watchUntilEnd);
            isRunning = true;
        } finally {
            if (!isRunning) {
                Libc.close(call, wakeUp);
            }
        }
    }

    private static int epollFlags() {
        return LinuxLayout.EPOLL_CLOEXEC.value();
    }

    private static void makeNonBlocking(NativeCall call, int descriptor) {
        int get = LinuxLayout.F_GETFL.value();
        int set = LinuxLayout.F_SETFL.value();
        int flags = check(call, "fcntl", Libc.fcntl(call, descriptor, get, 0));
        int wanted = flags | LinuxLayout.O_NONBLOCK.value();
        check(call, "fcntl", Libc.fcntl(call, descriptor, set, wanted));
    }

    private void watchUntilEnd() {
        boolean isWatching = true;
        while (isWatching) {
            try {
                watchUntilWoken();
                isWatching = false;
            } catch (VerbsException e) {
                Uncaught.report(e);
                fail(e);
                isWatching = false;
            } catch (Throwable e) { // nobody else wakes those who wait
                Uncaught.report(e);
                hasMissed = true;
                // what comes back at once must not fill the log at full speed
                LockSupport.parkNanos(PAUSE_NS);
            }
        }
    }

    private void watchUntilWoken() {
        try (NativeCall call = NativeCall.begin()) {
            long stride = LinuxLayout.EPOLL_EVENT.size();
            MemorySegment events = call.arena().allocate(stride * BATCH, Long.BYTES);
            boolean isWatching = true;
            while (isWatching) {
                if (hasMissed) {
                    reportAll();
                }
                // who was not told has to be told soon, although nothing more is reported for it
                int timeoutMs = hasMissed ? PAUSE_MS : FOREVER;
                int count = wait.await(call, epoll, events.address(), BATCH, timeoutMs);
                // A signal does not end the thread.
                if (count < 0 && call.errno() != LinuxLayout.EINTR.value()) {
                    throw call.failure("epoll_wait", "epoll=" + epoll);
                }
                for (int i = 0; i < count; i++) {
                    long key = LinuxLayout.EPOLL_DATA.get(events.asSlice(i * stride, stride));
                    isWatching &= key != WAKE_UP;
                    report(key);
                }
            }
        }
    }

    /** The kernel reports once only: whoever waits looks again. */
    private void reportAll() {
        hasMissed = false;
        handlers.keySet().forEach(this::report);
    }

    private void report(long key) {
        // A descriptor closed in the meantime has woken its waiters itself.
        Handler handler = handlers.get(key);
        if (handler == null) {
            return;
        }
        try {
            handler.onReadable();
        } catch (Throwable e) { // others wait for other descriptors
            Uncaught.report(e);
            hasMissed = true;
            LockSupport.parkNanos(PAUSE_NS);
        }
    }

    /** Nobody is left to wake those who wait: they must learn that now. */
    private void fail(VerbsException cause) {
        lock.lock();
        try {
            failure = Optional.of(cause);
        } finally {
            lock.unlock();
        }
        handlers.values().forEach(handler -> tell(handler, cause));
    }

    private static void tell(Handler handler, VerbsException cause) {
        try {
            handler.onFailure(cause);
        } catch (Throwable e) { // others wait for other descriptors
            Uncaught.report(e);
        }
    }

    /** Asks for one report when the descriptor is or becomes readable. */
    void arm(int descriptor, long key) {
        int events = LinuxLayout.EPOLLIN.value() | LinuxLayout.EPOLLONESHOT.value();
        try (NativeCall call = NativeCall.begin()) {
            control(call, LinuxLayout.EPOLL_CTL_MOD, descriptor, key, events);
        }
    }

    /** Stops watching a descriptor. */
    void forget(int descriptor, long key) {
        try (NativeCall call = NativeCall.begin()) {
            control(call, LinuxLayout.EPOLL_CTL_DEL, descriptor, key, 0);
        } finally {
            // Not earlier: close() waits for the descriptors it finds here, then closes epoll.
            handlers.remove(key);
            watched.remove(key);
        }
    }

    private void control(
            NativeCall call, CConstant operation, int descriptor, long key, int events) {
        MemorySegment event = call.allocate(LinuxLayout.EPOLL_EVENT);
        LinuxLayout.EPOLL_EVENTS.set(event, events);
        LinuxLayout.EPOLL_DATA.set(event, key);
        int result = Libc.epoll_ctl(call, epoll, operation.value(), descriptor, event.address());
        check(call, "epoll_ctl(" + operation.name() + ")", result);
    }

    private static int check(NativeCall call, String function, int result) {
        if (result < 0) {
            throw call.failure(function, "for the events of an RDMA device");
        }
        return result;
    }

    /** Wakes all waiters, which then find their descriptor closed, and ends the thread. */
    @Override
    public void close() {
        lock.lock();
        try {
            if (isClosed) {
                return;
            }
            isClosed = true;
        } finally {
            lock.unlock();
        }
        List.copyOf(watched.values()).forEach(WatchedDescriptor::close);
        if (isStarted) {
            end();
        }
    }

    private void end() {
        try (NativeCall call = NativeCall.begin()) {
            MemorySegment one = call.allocateWord();
            one.fill((byte) 1);
            if (Libc.write(call, wakeUp, one.address(), Long.BYTES) < 0) {
                throw call.failure("write", "to wake the thread " + thread.getName());
            }
            // The descriptors must outlive the thread.
            ThreadEnd.await(thread);
            Libc.close(call, wakeUp);
            Libc.close(call, epoll);
        }
    }
}
