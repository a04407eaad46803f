// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.completion.Faults;
import io.verbena.rpc.spi.NamingService;
import io.verbena.rpc.spi.ServerNode;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One watch of a registry for several channels, each of which uses some of its servers. A listener
 * that comes later is told at once what the registry said last. Any thread.
 */
final class SharedWatch implements NamingService, NamingService.Listener, AutoCloseable {
    /** Reports are passed on in the registry's order, also to a listener that comes meanwhile. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Set<Listener> listeners = ConcurrentHashMap.newKeySet();

    /** Guarded by the lock. */
    private Optional<List<ServerNode>> latest = Optional.empty();

    /** What went wrong since the latest list. Guarded by the lock. */
    private Optional<Throwable> failure = Optional.empty();

    private volatile Watch watch = () -> {};

    private SharedWatch() {}

    /**
     * {@return a watch that has heard of the servers, if the registry answers soon}
     *
     * @throws IllegalArgumentException if the name is not valid there
     */
    static SharedWatch open(NamedServers servers) {
        SharedWatch shared = new SharedWatch();
        shared.watch = servers.watch(shared);
        return shared;
    }

    /** {@return what the channels watch} */
    NamedServers named() {
        return new NamedServers(this, "");
    }

    @Override
    public String scheme() {
        return "shared";
    }

    @Override
    public Watch watch(String name, Listener listener) {
        lock.lock();
        try {
            latest.ifPresent(listener::onServers);
            failure.ifPresent(listener::onFailure);
            listeners.add(listener);
        } finally {
            lock.unlock();
        }
        return () -> listeners.remove(listener);
    }

    @Override
    public void onServers(List<ServerNode> servers) {
        lock.lock();
        try {
            latest = Optional.of(servers);
            failure = Optional.empty();
            listeners.forEach(listener -> listener.onServers(servers));
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void onFailure(Throwable cause) {
        lock.lock();
        try {
            failure = Optional.of(cause);
            listeners.forEach(listener -> listener.onFailure(cause));
        } finally {
            lock.unlock();
        }
    }

    /** Idempotent, as the registry's watch is; never throws. */
    @Override
    public void close() {
        try {
            watch.close();
        } catch (Throwable e) {
            Faults.warn(SharedWatch.class, "a watch cannot be closed", watch, e);
        }
    }
}
