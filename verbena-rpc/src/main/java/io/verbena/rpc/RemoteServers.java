// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.transport.ClientTls;
import io.verbena.transport.Connection;
import io.verbena.transport.Transport;
import io.verbena.transport.TransportClient;
import io.verbena.transport.TransportFlag;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/** The servers that channels of this process talk to; channels with the same key share one. */
final class RemoteServers {
    private final Transport transport;
    private final CallEngine engine;
    private final HealthCheck healthCheck;
    private final RpcFlags flags;
    private final ClientCertificates certificates;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<RemoteServerKey, RemoteServer> servers = new HashMap<>();

    RemoteServers(
            Transport transport,
            CallEngine engine,
            HealthCheck healthCheck,
            RpcFlags flags,
            ClientCertificates certificates) {
        this.transport = transport;
        this.engine = engine;
        this.healthCheck = healthCheck;
        this.flags = flags;
        this.certificates = certificates;
    }

    CallEngine engine() {
        return engine;
    }

    HealthCheck healthCheck() {
        return healthCheck;
    }

    int maxPoolSize() {
        return flags.integer(RpcFlag.MAX_CONNECTION_POOL_SIZE);
    }

    /** {@return the server with a key, with one more user} */
    RemoteServer acquire(RemoteServerKey key) {
        // now, so that a file that cannot be used is reported to whoever opens the channel
        Optional<ClientTls> _ = certificates.of(key.ssl());
        lock.lock();
        try {
            RemoteServer server = servers.computeIfAbsent(key, k -> new RemoteServer(k, this));
            server.addUser(1);
            return server;
        } finally {
            lock.unlock();
        }
    }

    /** Removes a user; the last one closes the server. */
    void release(RemoteServer server) {
        lock.lock();
        try {
            if (server.addUser(-1) > 0) {
                return;
            }
            servers.remove(server.key());
        } finally {
            lock.unlock();
        }
        server.close();
    }

    /** {@return the open connections to all servers} */
    List<Connection> connections() {
        lock.lock();
        try {
            return servers.values().stream().flatMap(RemoteServer::connections).toList();
        } finally {
            lock.unlock();
        }
    }

    /** Connects a socket. */
    void connect(RemoteServerKey key, int connectTimeoutMs, ClientSocket socket) {
        TransportClient client =
                new TransportClient(
                        transport,
                        key.mode(),
                        transport.flags().with(TransportFlag.CONNECT_TIMEOUT_MS, connectTimeoutMs),
                        certificates.of(key.ssl()));
        socket.attach(client.connect(key.address(), socket));
    }
}
