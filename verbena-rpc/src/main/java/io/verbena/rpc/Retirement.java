// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Servers that a channel has called and no longer lists. Their connections stay open as long as
 * calls or streams are on them, and at least for the time limit of a call, as a server that left
 * may return. Any thread.
 */
final class Retirement {
    /** The longest time that the connections of an unused server stay open. */
    private static final long MOST_IDLE_MS = 30_000;

    /** How often a server that is in use is looked at. */
    private static final long PERIOD_MS = 1_000;

    /** When the log says that a server is still in use. */
    private static final long LONG_NS = TimeUnit.HOURS.toNanos(1);

    private static final Logger LOG = LoggerFactory.getLogger(Retirement.class);

    private final RemoteServers remotes;
    private final ScheduledExecutorService chores;
    private final long idleMs;
    private final ReentrantLock lock = new ReentrantLock();

    /** Told of each server once its time is over, whatever is on its connections. */
    private volatile Consumer<InetSocketAddress> listener = address -> {};

    /** One for each server, however often it came and left. Guarded by the lock. */
    private final Map<RemoteServer, Leaver> leavers = new HashMap<>();

    /** Of a channel whose calls have that time limit. */
    Retirement(RemoteServers remotes, ScheduledExecutorService chores, int timeoutMs) {
        this.remotes = remotes;
        this.chores = chores;
        this.idleMs = timeoutMs <= 0 ? MOST_IDLE_MS : Math.min(timeoutMs, MOST_IDLE_MS);
    }

    /** Has someone told of servers who keeps connections of his own. */
    void onLeave(Consumer<InetSocketAddress> told) {
        listener = told;
    }

    /** A server has left the list. Not after {@link #close}. */
    void add(Target target) {
        Leaver leaver = new Leaver(target);
        Leaver before;
        lock.lock();
        try {
            before = leavers.put(target.server(), leaver);
        } finally {
            lock.unlock();
        }
        leaver.lookAfter(idleMs);
        if (before != null) {
            before.target.release(remotes);
        }
    }

    /** The channel is closed, and with it all that is under way. */
    void close() {
        List<Leaver> all;
        lock.lock();
        try {
            all = List.copyOf(leavers.values());
            leavers.clear();
        } finally {
            lock.unlock();
        }
        all.forEach(leaver -> leaver.target.release(remotes));
    }

    /** A server that has left. */
    private final class Leaver {
        private final Target target;
        private final long sinceNs = System.nanoTime();
        private boolean isTold;
        private boolean isLogged;

        Leaver(Target target) {
            this.target = target;
        }

        void lookAfter(long delayMs) {
            try {
                var _ = chores.schedule(this::look, delayMs, TimeUnit.MILLISECONDS);
            } catch (RejectedExecutionException e) {
                LOG.debug("the node is closed, and with it all connections", e);
                release();
            }
        }

        private void look() {
            if (!isTold) {
                isTold = true;
                listener.accept(target.node().address());
            }
            if (!isInUse()) {
                release();
            } else if (isKept()) {
                noteLongUse();
                lookAfter(PERIOD_MS);
            }
        }

        private boolean isInUse() {
            return target.server().isInUse()
                    || target.overTcp().isPresent() && target.overTcp().get().isInUse();
        }

        /** {@return whether neither the channel was closed, nor the server has left once more} */
        private boolean isKept() {
            lock.lock();
            try {
                return leavers.get(target.server()) == this;
            } finally {
                lock.unlock();
            }
        }

        private void noteLongUse() {
            if (!isLogged && System.nanoTime() - sinceNs > LONG_NS) {
                isLogged = true;
                LOG.info("{} left an hour ago and is still in use", target.node());
            }
        }

        private void release() {
            boolean isLast;
            lock.lock();
            try {
                isLast = leavers.remove(target.server(), this);
            } finally {
                lock.unlock();
            }
            if (isLast) {
                target.release(remotes);
            }
        }
    }
}
