// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Waits for the file descriptors of an open device, so that a thread that waits for events only
 * parks: a virtual thread releases its carrier, and every thread can be interrupted, can have a
 * timeout, and is woken when the object it waits on is closed.
 *
 * <p>One platform thread, {@code verbena-ibv-events}, starts with the first descriptor and ends
 * with {@link #close}. It sleeps in {@code epoll_wait} with no time limit. When a {@link
 * WatchedDescriptor} becomes readable it only wakes the waiters; the device's asynchronous events
 * it reads itself. It calls no user code.
 *
 * <p>{@code lock} guards the start and the end. No other lock is taken under it.
 */
final class DescriptorWatcher implements AutoCloseable {
    private static final int BATCH = 16;

    /** The number of the wake-up descriptor; watched descriptors are numbered from 1. */
    private static final long WAKE_UP = 0;

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Long, WatchedDescriptor> watched = new ConcurrentHashMap<>();
    private final Map<Long, Runnable> handlers = new ConcurrentHashMap<>();
    private long lastKey = WAKE_UP;
    private boolean isStarted;
    private boolean isClosed;
    // Set by start, before anybody can hold a descriptor, and constant from then on.
    private int epoll;
    private int wakeUp;
    private Thread thread;

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
            add(descriptor, key, made::onReadable, 0);
            watched.put(key, made);
            return made;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Makes the watcher's thread read a descriptor until {@link #close}. Makes it non-blocking.
     *
     * @param descriptor an open file descriptor that can be polled; it must outlive the watcher
     * @param handler reads everything available, without blocking; if it fails, it is not called
     *     again
     */
    void handle(int descriptor, Runnable handler) {
        lock.lock();
        try {
            long key = ++lastKey;
            Runnable safely = () -> handleSafely(handler, descriptor, key);
            add(descriptor, key, safely, LinuxLayout.EPOLLIN.value());
        } finally {
            lock.unlock();
        }
    }

    private void add(int descriptor, long key, Runnable handler, int events) {
        try (NativeCall call = NativeCall.begin()) {
            if (isClosed) {
                throw new IllegalStateException("device context is closed");
            }
            start(call);
            makeNonBlocking(call, descriptor);
            handlers.put(key, handler);
            control(call, LinuxLayout.EPOLL_CTL_ADD, descriptor, key, events);
        }
    }

    /** Otherwise a handler that fails would be called again at once, forever. */
    private void handleSafely(Runnable handler, int descriptor, long key) {
        try {
            handler.run();
        } catch (Throwable e) {
            Uncaught.report(e);
            forget(descriptor, key);
        }
    }

    private void start(NativeCall call) {
        if (isStarted) {
            return;
        }
        epoll = check(call, "epoll_create1", Libc.epoll_create1(call, epollFlags()));
        wakeUp = check(call, "eventfd", Libc.eventfd(call, 0, LinuxLayout.EFD_CLOEXEC.value()));
        control(call, LinuxLayout.EPOLL_CTL_ADD, wakeUp, WAKE_UP, LinuxLayout.EPOLLIN.value());
        thread = Thread.ofPlatform().name("verbena-ibv-events").daemon().start(this::watchUntilEnd);
        isStarted = true;
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
        try (NativeCall call = NativeCall.begin()) {
            long stride = LinuxLayout.EPOLL_EVENT.size();
            MemorySegment events = call.arena().allocate(stride * BATCH, Long.BYTES);
            boolean isWatching = true;
            while (isWatching) {
                int count = Libc.epoll_wait(call, epoll, events.address(), BATCH, -1);
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
        } catch (Throwable e) {
            Uncaught.report(e);
            // Nobody is left to wake those who wait: they must learn that now.
            List.copyOf(watched.values()).forEach(WatchedDescriptor::close);
        }
    }

    private void report(long key) {
        try {
            // A descriptor closed in the meantime has woken its waiters itself.
            handlers.getOrDefault(key, () -> {}).run();
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
