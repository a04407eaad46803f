// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.completion.Faults;
import io.verbena.rpc.spi.NamingService.Registration;
import io.verbena.rpc.spi.ServerNode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** The registries that list a server. Any thread. */
final class Announcements {
    private final ReentrantLock lock = new ReentrantLock();
    private final List<Registration> registrations = new ArrayList<>();

    /** Why the server has left, or is about to: draining, stopping. Guarded by the lock. */
    private int shuts;

    /**
     * Announces the server; may block for a few seconds.
     *
     * @throws IllegalStateException if the server leaves meanwhile; it is then not announced
     */
    void add(NamedServers registry, ServerNode server) {
        if (isShut()) {
            throw left();
        }
        Registration made = registry.register(server);
        if (!isKept(made)) {
            close(made);
            throw left();
        }
    }

    private boolean isKept(Registration made) {
        lock.lock();
        try {
            return shuts == 0 && registrations.add(made);
        } finally {
            lock.unlock();
        }
    }

    private boolean isShut() {
        lock.lock();
        try {
            return shuts > 0;
        } finally {
            lock.unlock();
        }
    }

    private static IllegalStateException left() {
        return new IllegalStateException(
                "server: it has left its registries (expected: announce before stop)");
    }

    /** {@return whether every registry lists the server, as far as this side knows} */
    boolean areListed() {
        lock.lock();
        try {
            return !registrations.isEmpty()
                    && registrations.stream().allMatch(Registration::isListed);
        } finally {
            lock.unlock();
        }
    }

    /** Refuses announcements from now on. {@return whether there is a registry to leave} */
    boolean shut() {
        lock.lock();
        try {
            shuts++;
            return !registrations.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** Takes back one {@link #shut}: without another one, announcements are allowed again. */
    void reopen() {
        lock.lock();
        try {
            shuts--;
        } finally {
            lock.unlock();
        }
    }

    /** Leaves all registries, after {@link #shut}. {@return whether there was one} */
    boolean leave() {
        List<Registration> left;
        lock.lock();
        try {
            left = List.copyOf(registrations);
            registrations.clear();
        } finally {
            lock.unlock();
        }
        left.forEach(Announcements::close);
        return !left.isEmpty();
    }

    private static void close(Registration registration) {
        try {
            registration.close();
        } catch (Throwable e) {
            Faults.warn(Announcements.class, "leaving a registry failed", registration, e);
        }
    }
}
