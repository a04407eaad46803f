// SPDX-License-Identifier: Apache-2.0
package io.verbena.naming.zookeeper;

import io.verbena.naming.RegistryAddress;
import io.verbena.naming.ServerText;
import io.verbena.rpc.spi.NamingService;
import io.verbena.rpc.spi.PollingWatch;
import io.verbena.rpc.spi.ServerNode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;

/**
 * {@code zk://host:port,host:port/path}: the children of the node {@code /path}, each named {@code
 * host:port} with the tag as data. A server's node is ephemeral: it goes with the server's session;
 * {@code ?session_ms=N} sets how long that lasts without contact.
 *
 * <p>All watches and registrations with the same hosts share a session.
 */
public final class ZooKeeperNaming implements NamingService {
    private static final int PORT = 2181;
    private static final String SESSION = "session_ms";
    private static final int DEFAULT_SESSION_MS = 10_000;

    private final Sessions sessions = new Sessions();

    /** For {@link java.util.ServiceLoader}. */
    public ZooKeeperNaming() {}

    @Override
    public String scheme() {
        return "zk";
    }

    private static RegistryAddress parse(String name) {
        return RegistryAddress.parse(name, PORT, Set.of(SESSION));
    }

    private Sessions.Session session(RegistryAddress address) {
        return sessions.acquire(
                String.join(",", address.hosts()),
                address.milliseconds(SESSION, DEFAULT_SESSION_MS));
    }

    @Override
    public Watch watch(String name, Listener listener) {
        RegistryAddress address = parse(name);
        Sessions.Session session = session(address);
        try {
            ChildrenLookup lookup = new ChildrenLookup(session.client(), "/" + address.path());
            PollingWatch watch = PollingWatch.start(scheme(), Duration.ZERO, lookup, listener);
            return new ClosedOnce(
                    () -> {
                        watch.close();
                        lookup.close();
                        sessions.release(session);
                    });
        } catch (Throwable e) {
            // Curator refuses some paths
            sessions.release(session);
            throw e;
        }
    }

    @Override
    public Registration register(String name, ServerNode server) {
        RegistryAddress address = parse(name);
        Sessions.Session session = session(address);
        try {
            return EphemeralNode.create(
                    session.client(),
                    "/" + address.path() + "/" + ServerText.address(server),
                    ServerText.tag(server).getBytes(StandardCharsets.UTF_8),
                    () -> sessions.release(session));
        } catch (Throwable e) {
            sessions.release(session);
            throw e;
        }
    }

    /** {@return how many sessions are open} */
    int sessions() {
        return sessions.count();
    }
}
