// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.netty.util.concurrent.Future;
import io.verbena.completion.RareLog;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The connections of a server whose peers have not proved anything yet. They have a time limit, and
 * there is a limit on how many there are: in all, from one address, and with a queue pair. If there
 * are too many, the oldest has to go. A good client sends its request at once and is not among the
 * oldest, however many strangers there are. If too many have a queue pair, nobody has to go: the
 * next one gets none and uses TCP. Any thread.
 */
final class Newcomers {
    private final RareLog log = new RareLog(Newcomers.class);
    private final long limitMs;
    private final int most;
    private final int mostPerAddress;
    private final int mostWithQueuePair;
    private final AtomicLong dropped = new AtomicLong();
    private final AtomicLong refusedQueuePairs = new AtomicLong();
    private final ReentrantLock lock = new ReentrantLock();

    /** All of them with their timers, the oldest first. Guarded by the lock, like the others. */
    private final Map<SocketConnection, Future<?>> all = new LinkedHashMap<>();

    private final Map<InetAddress, Set<SocketConnection>> byAddress = new HashMap<>();
    private final Set<SocketConnection> withQueuePair = new HashSet<>();

    Newcomers(TransportFlags flags) {
        this.limitMs = flags.number(TransportFlag.NEWCOMER_TIMEOUT_MS);
        this.most = flags.integer(TransportFlag.MAX_NEWCOMERS);
        this.mostPerAddress = flags.integer(TransportFlag.MAX_NEWCOMERS_PER_ADDRESS);
        this.mostWithQueuePair = flags.integer(TransportFlag.MAX_NEWCOMER_QUEUE_PAIRS);
    }

    /** {@return how many had to go, took too long, or were refused} */
    long dropped() {
        return dropped.get();
    }

    /** {@return how many had to use TCP because too many others had a queue pair} */
    long refusedQueuePairs() {
        return refusedQueuePairs.get();
    }

    /** A connection was accepted. */
    void add(SocketConnection connection) {
        Future<?> timer = timer(connection);
        Optional<SocketConnection> surplus;
        lock.lock();
        try {
            all.put(connection, timer);
            Set<SocketConnection> neighbours =
                    byAddress.computeIfAbsent(address(connection), _ -> new LinkedHashSet<>());
            neighbours.add(connection);
            surplus = oldestBeyond(mostPerAddress, neighbours);
            if (surplus.isEmpty()) {
                surplus = oldestBeyond(most, all.keySet());
            }
            surplus.ifPresent(this::removeLocked);
        } finally {
            lock.unlock();
        }
        surplus.ifPresent(oldest -> drop(oldest, "too many connections without a request"));
    }

    private Future<?> timer(SocketConnection connection) {
        return connection
                .loop()
                .schedule(() -> onDeadline(connection), limitMs, TimeUnit.MILLISECONDS);
    }

    /**
     * A newcomer is as good as a new one. Does nothing if it is not a newcomer, or if it has a
     * queue pair: those are few, and nobody may keep one without a proof.
     */
    void renew(SocketConnection connection) {
        lock.lock();
        try {
            if (withQueuePair.contains(connection)) {
                return;
            }
            Future<?> before = all.remove(connection);
            if (before == null) {
                return;
            }
            before.cancel(false);
            all.put(connection, timer(connection));
            Set<SocketConnection> neighbours = byAddress.get(address(connection));
            neighbours.remove(connection);
            neighbours.add(connection);
        } finally {
            lock.unlock();
        }
    }

    /** {@return whether a connection may get a queue pair; always true if it is not a newcomer} */
    boolean tryTakeQueuePair(SocketConnection connection) {
        lock.lock();
        try {
            if (!all.containsKey(connection)) {
                return true;
            }
            if (withQueuePair.size() < mostWithQueuePair) {
                withQueuePair.add(connection);
                return true;
            }
        } finally {
            lock.unlock();
        }
        refusedQueuePairs.incrementAndGet();
        return false;
    }

    /** A connection uses TCP after all: another one may have the queue pair. */
    void returnQueuePair(SocketConnection connection) {
        lock.lock();
        try {
            withQueuePair.remove(connection);
        } finally {
            lock.unlock();
        }
    }

    private static Optional<SocketConnection> oldestBeyond(
            int limit, Set<SocketConnection> connections) {
        return connections.size() > limit
                ? Optional.of(connections.iterator().next())
                : Optional.empty();
    }

    /** A peer has proved itself, or is gone. Does nothing if it is not a newcomer. */
    void remove(SocketConnection connection) {
        lock.lock();
        try {
            removeLocked(connection);
        } finally {
            lock.unlock();
        }
    }

    private void removeLocked(SocketConnection connection) {
        Future<?> timer = all.remove(connection);
        if (timer == null) {
            return;
        }
        try {
            withQueuePair.remove(connection);
            InetAddress address = address(connection);
            Set<SocketConnection> neighbours = byAddress.get(address);
            neighbours.remove(connection);
            if (neighbours.isEmpty()) {
                byAddress.remove(address);
            }
        } finally {
            // last: on another thread, this takes memory
            timer.cancel(false);
        }
    }

    private static InetAddress address(SocketConnection connection) {
        return connection.remoteAddress().getAddress();
    }

    /**
     * A connection was refused, and ends. Does nothing if it is not a newcomer.
     *
     * @param reason what its peer did wrong
     */
    void refuse(SocketConnection connection, TransportException reason) {
        lock.lock();
        try {
            if (!all.containsKey(connection)) {
                return;
            }
            removeLocked(connection);
        } finally {
            lock.unlock();
        }
        dropped.incrementAndGet();
        log.warn(reason.detail(), connection.remoteAddress());
    }

    private void onDeadline(SocketConnection connection) {
        try {
            remove(connection);
        } finally {
            drop(connection, "no request within newcomer_timeout_ms, " + limitMs);
        }
    }

    private void drop(SocketConnection connection, String why) {
        dropped.incrementAndGet();
        try {
            log.warn(why, connection.remoteAddress());
        } finally {
            connection.abort(SocketFailure.of(TransportError.EUNUSED, why));
        }
    }
}
