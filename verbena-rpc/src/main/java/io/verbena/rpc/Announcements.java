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

    /** Announces the server; may block for a few seconds. */
    void add(NamedServers registry, ServerNode server) {
        Registration made = registry.register(server);
        lock.lock();
        try {
            registrations.add(made);
        } finally {
            lock.unlock();
        }
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

    /** {@return whether there is a registry to leave} */
    boolean any() {
        lock.lock();
        try {
            return !registrations.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** Leaves all registries. {@return whether there was one} */
    boolean leave() {
        List<Registration> left;
        lock.lock();
        try {
            left = List.copyOf(registrations);
            registrations.clear();
        } finally {
            lock.unlock();
        }
        for (Registration registration : left) {
            try {
                registration.close();
            } catch (Throwable e) {
                Faults.warn(Announcements.class, "leaving a registry failed", registration, e);
            }
        }
        return !left.isEmpty();
    }
}
