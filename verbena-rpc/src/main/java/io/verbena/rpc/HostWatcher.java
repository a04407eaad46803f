// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.completion.EnduringTask;
import io.verbena.completion.Faults;
import io.verbena.rpc.spi.HostLookup;
import io.verbena.rpc.spi.ServerEntry;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks up the host names of channels again, every {@code ns_access_interval} seconds, on one
 * thread for the whole node: a platform thread, because the system's resolver blocks. The thread
 * exists once a channel has a name to look up; addresses in numbers have none.
 */
final class HostWatcher {
    private static final Logger LOG = LoggerFactory.getLogger(HostWatcher.class);

    /** A host that a channel calls. */
    private static final class Host {
        final String name;
        final int port;
        final Consumer<InetSocketAddress> moved;
        InetAddress current;
        boolean isUnknown;

        Host(String name, InetSocketAddress first, Consumer<InetSocketAddress> moved) {
            this.name = name;
            this.port = first.getPort();
            this.moved = moved;
            this.current = first.getAddress();
        }
    }

    private final RpcFlags flags;
    private final HostLookup lookup;
    private final Set<Host> hosts = ConcurrentHashMap.newKeySet();
    private final ReentrantLock starting = new ReentrantLock();
    private Thread thread;
    private volatile boolean isClosed;

    HostWatcher(RpcFlags flags, HostLookup lookup) {
        this.flags = flags;
        this.lookup = lookup;
    }

    HostWatcher(RpcFlags flags) {
        this(flags, HostLookup.SYSTEM);
    }

    /**
     * Follows the host of an address.
     *
     * @param address {@code host:port}
     * @param first what it is resolved to now
     * @param moved told each other address
     * @return ends it
     */
    Runnable watch(String address, InetSocketAddress first, Consumer<InetSocketAddress> moved) {
        ServerEntry entry = ServerEntry.parse(address);
        if (entry.isNumeric()) {
            return () -> {};
        }
        Host host = new Host(entry.host(), first, moved);
        hosts.add(host);
        start();
        return () -> hosts.remove(host);
    }

    private void start() {
        starting.lock();
        try {
            if (thread == null && !isClosed) {
                thread =
                        Thread.ofPlatform()
                                .daemon()
                                .name("verbena-rpc-hosts")
                                .start(new EnduringTask(this::run));
            }
        } finally {
            starting.unlock();
        }
    }

    private void run() {
        while (!isClosed) {
            try {
                TimeUnit.SECONDS.sleep(flags.number(RpcFlag.NS_ACCESS_INTERVAL));
            } catch (InterruptedException e) {
                return;
            }
            lookUp();
        }
    }

    /** Looks up every host once. */
    void lookUp() {
        for (Host host : hosts) {
            try {
                follow(host, lookup.addressesOf(host.name));
            } catch (UnknownHostException e) {
                noteUnknown(host);
            } catch (Throwable e) {
                Faults.warn(HostWatcher.class, "looking it up failed", host.name, e);
            }
        }
    }

    private static void noteUnknown(Host host) {
        if (!host.isUnknown) {
            host.isUnknown = true;
            LOG.warn("{} is unknown now; keeping {}", host.name, host.current.getHostAddress());
        }
    }

    private static void follow(Host host, InetAddress[] found) {
        if (host.isUnknown) {
            host.isUnknown = false;
            LOG.info("{} is known again", host.name);
        }
        // one of several addresses is as good as another, and the connection is open
        if (found.length > 0 && !Arrays.asList(found).contains(host.current)) {
            LOG.info("{} is at {} now", host.name, found[0].getHostAddress());
            host.current = found[0];
            host.moved.accept(new InetSocketAddress(found[0], host.port));
        }
    }

    void close() {
        isClosed = true;
        starting.lock();
        try {
            if (thread != null) {
                thread.interrupt();
            }
        } finally {
            starting.unlock();
        }
    }
}
