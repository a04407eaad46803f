// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.transport.Connection;
import io.verbena.transport.SocketMode;
import io.verbena.transport.TransportException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/**
 * A server that channels of this process talk to: the connections to it, under one {@link
 * RemoteServerKey}, and whether it can be reached. Any thread may call any method.
 */
final class RemoteServer {
    private final RemoteServerKey key;
    private final RemoteServers remotes;
    private final ReentrantLock lock = new ReentrantLock();
    private final ConcurrentLinkedDeque<ClientSocket> idle = new ConcurrentLinkedDeque<>();
    private final AtomicInteger idleCount = new AtomicInteger();
    private final Set<ClientSocket> all = ConcurrentHashMap.newKeySet();
    private volatile Optional<ClientSocket> single = Optional.empty();
    private final CircuitBreaker breaker = new CircuitBreaker();
    private volatile boolean isReachable = true;

    /** Begins when it is back. */
    private final WarmUp warmUp = new WarmUp();

    private volatile boolean isClosed;

    /** How many channels use it. Guarded by {@link RemoteServers}. */
    private int users;

    RemoteServer(RemoteServerKey key, RemoteServers remotes) {
        this.key = key;
        this.remotes = remotes;
    }

    RemoteServerKey key() {
        return key;
    }

    Optional<Authenticator> auth() {
        return key.auth();
    }

    int addUser(int count) {
        users += count;
        return users;
    }

    /** {@return whether the server can be reached, as far as is known} */
    boolean isReachable() {
        return isReachable;
    }

    /** {@return a connection for a call; it may still be connecting} */
    ClientSocket acquire(ConnectionType type, int connectTimeoutMs) {
        return switch (type) {
            case SINGLE -> {
                Optional<ClientSocket> current = single;
                yield current.isPresent() && current.get().isUsable()
                        ? current.get()
                        : connectSingle(connectTimeoutMs);
            }
            case POOLED -> takeIdle(connectTimeoutMs);
            case SHORT -> connect(connectTimeoutMs);
        };
    }

    /** {@return completes when a connection for the next call is open, or cannot be opened} */
    CompletableFuture<Void> connect(ConnectionType type, int connectTimeoutMs) {
        if (type == ConnectionType.SHORT) {
            return CompletableFuture.completedFuture(null);
        }
        ClientSocket socket = acquire(type, connectTimeoutMs);
        return socket.opening()
                .whenComplete((nothing, fault) -> release(socket, type, fault == null));
    }

    private ClientSocket connectSingle(int connectTimeoutMs) {
        lock.lock();
        try {
            if (single.isEmpty() || !single.get().isUsable()) {
                single = Optional.of(connect(connectTimeoutMs));
            }
            return single.get();
        } finally {
            lock.unlock();
        }
    }

    private ClientSocket takeIdle(int connectTimeoutMs) {
        for (ClientSocket socket = idle.pollFirst(); socket != null; socket = idle.pollFirst()) {
            idleCount.decrementAndGet();
            if (socket.isUsable()) {
                return socket;
            }
        }
        return connect(connectTimeoutMs);
    }

    private ClientSocket connect(int connectTimeoutMs) {
        ClientSocket socket = new ClientSocket(remotes.engine(), this);
        all.add(socket);
        remotes.connect(key, connectTimeoutMs, socket);
        if (isClosed) {
            socket.close();
        }
        return socket;
    }

    /**
     * A call is done with a connection.
     *
     * @param socket the connection
     * @param type how the call acquired it
     * @param isGood whether the next call can use it
     */
    void release(ClientSocket socket, ConnectionType type, boolean isGood) {
        switch (type) {
            case SINGLE -> {}
            case POOLED -> {
                if (isGood && idleCount.incrementAndGet() <= remotes.maxPoolSize()) {
                    keep(socket);
                } else {
                    if (isGood) {
                        idleCount.decrementAndGet();
                    }
                    socket.close();
                }
            }
            case SHORT -> socket.close();
        }
    }

    private void keep(ClientSocket socket) {
        idle.addFirst(socket);
        // if it has ended meanwhile, its thread may not have found it there
        if (!socket.isUsable() && idle.remove(socket)) {
            idleCount.decrementAndGet();
        }
    }

    /** A connection has ended. */
    void onClose(ClientSocket socket, TransportException reason) {
        all.remove(socket);
        if (idle.remove(socket)) {
            idleCount.decrementAndGet();
        }
        onFailure(socket, reason);
    }

    /** A connection has failed: if it was never open, the server may be down. */
    void onFailure(ClientSocket socket, TransportException reason) {
        if (!socket.isOpen()) {
            onUnreachable(reason);
        }
    }

    /** A connection that was never open has failed. */
    void onUnreachable(TransportException reason) {
        if (isOfConnecting(reason)) {
            isolate(HealthCheck.FIRST_DELAY_MS, "cannot be reached");
        }
    }

    /** A server that can be reached but refuses RDMA, or breaks the protocol, is not down. */
    private static boolean isOfConnecting(TransportException reason) {
        return switch (reason.error()) {
            case ECONNREFUSED, ETIMEDOUT, EHOSTUNREACH, EHOSTDOWN -> true;
            default -> false;
        };
    }

    /** A try of a channel with a circuit breaker is over. */
    void onFeedback(long latencyNs, int errorCode) {
        long isolationMs = breaker.onCall(System.nanoTime(), latencyNs, errorCode);
        if (isolationMs > 0) {
            isolate(isolationMs, "fails too often");
        }
    }

    /** {@return whether a call may be its, if calls come slowly for a while after it was away} */
    boolean isWarmEnough(long slowStartNs) {
        return warmUp.admits(slowStartNs);
    }

    private void isolate(long firstProbeMs, String why) {
        lock.lock();
        try {
            if (!isReachable || isClosed) {
                return;
            }
            isReachable = false;
        } finally {
            lock.unlock();
        }
        remotes.healthCheck().watch(this, firstProbeMs, why);
    }

    /** The server answers again. */
    void revive() {
        breaker.close(System.nanoTime());
        warmUp.begin();
        isReachable = true;
    }

    /** {@return its open connections} */
    Stream<Connection> connections() {
        return all.stream()
                .filter(socket -> socket.isOpen() && socket.isUsable())
                .map(ClientSocket::connection);
    }

    boolean isClosed() {
        return isClosed;
    }

    /** {@return whether calls or streams are on its connections} */
    boolean isInUse() {
        return all.stream().anyMatch(socket -> socket.streams().count() > 0)
                || remotes.engine().isCalling(this);
    }

    boolean isRdma() {
        return key.mode() == SocketMode.RDMA;
    }

    /** Closes all connections. Calls under way on them end with ECLOSE. */
    void close() {
        isClosed = true;
        all.forEach(ClientSocket::close);
    }
}
