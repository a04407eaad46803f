// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import io.verbena.completion.Faults;
import io.verbena.memory.IOBuf;
import io.verbena.transport.ClientTls;
import io.verbena.transport.Connection;
import io.verbena.transport.ConnectionHandler;
import io.verbena.transport.SocketMode;
import io.verbena.transport.Transport;
import io.verbena.transport.TransportClient;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import io.verbena.transport.TransportFlag;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out when a server that is left out works again: tries a TCP connection, on which it asks
 * for a page if the channel says so, through TLS if the channel speaks it, then makes a call if the
 * channel says so; at first soon, then every {@code health_check_interval} seconds.
 */
final class HealthCheck {
    /** The first probe of a server that cannot be reached. */
    static final long FIRST_DELAY_MS = 100;

    private static final Logger LOG = LoggerFactory.getLogger(HealthCheck.class);
    private static final int LIMIT_MS = 500;
    private static final int STATUS_END = "HTTP/1.1 200".length();
    private static final List<String> PAGES = List.of(AlpnNames.of("http"));

    /** A probe's call is tried once, and belongs to no channel. */
    private static final ChannelOptions OPTIONS =
            ChannelOptions.DEFAULT
                    .withMaxRetry(0)
                    .withTimeoutMs(LIMIT_MS)
                    .withConnectTimeoutMs(LIMIT_MS);

    private final Transport transport;
    private final CallEngine engine;
    private final Supplier<ClientController> controllers;
    private final ScheduledExecutorService chores;
    private final RpcFlags flags;
    private final ClientCertificates certificates;

    /** Those of which was logged, since they were left out, what they lack. */
    private final Set<RemoteServer> noted = ConcurrentHashMap.newKeySet();

    HealthCheck(
            Transport transport,
            CallEngine engine,
            Supplier<ClientController> controllers,
            ScheduledExecutorService chores,
            RpcFlags flags,
            ClientCertificates certificates) {
        this.transport = transport;
        this.engine = engine;
        this.controllers = controllers;
        this.chores = chores;
        this.flags = flags;
        this.certificates = certificates;
    }

    /** Probes a server until it is back. */
    void watch(RemoteServer server, long firstDelayMs, String why) {
        probeAfter(server, firstDelayMs);
        LOG.info("{} {}", server.key().address(), why);
    }

    private void probeAfter(RemoteServer server, long delayMs) {
        try {
            schedule(() -> probe(server), delayMs);
        } catch (Throwable e) {
            // a call that fails is better than a server that stays out for ever
            server.revive();
            Faults.warn(HealthCheck.class, "no health check is planned", server.key().address(), e);
        }
    }

    private void schedule(Runnable task, long delayMs) {
        try {
            var _ = chores.schedule(task, delayMs, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("no more health checks: the node is closed", e);
        }
    }

    private void probe(RemoteServer server) {
        if (server.isClosed()) {
            noted.remove(server);
            return;
        }
        try {
            Connection connection =
                    new TransportClient(
                                    transport,
                                    SocketMode.TCP,
                                    transport
                                            .flags()
                                            .with(TransportFlag.CONNECT_TIMEOUT_MS, LIMIT_MS),
                                    tls(server))
                            .connect(server.key().address(), new Probe(server));
            if (!server.key().health().path().isEmpty()) {
                schedule(connection::close, probeLimitMs());
            }
        } catch (Throwable e) {
            onFault(server, e);
        }
    }

    /** {@return how to ask for the page; whether a connection is accepted can be seen without} */
    private Optional<ClientTls> tls(RemoteServer server) {
        return server.key().health().path().isEmpty()
                ? Optional.empty()
                : certificates.of(server.key().ssl().map(ssl -> ssl.withAlpns(PAGES)));
    }

    /** A probe that throws says nothing about the server; without the next one it stays out. */
    private void onFault(RemoteServer server, Throwable fault) {
        probeLater(server);
        Faults.warn(HealthCheck.class, "a health check failed", server.key().address(), fault);
    }

    private long probeLimitMs() {
        return LIMIT_MS + TimeUnit.SECONDS.toMillis(1);
    }

    private void probeLater(RemoteServer server) {
        probeAfter(server, TimeUnit.SECONDS.toMillis(flags.number(RpcFlag.HEALTH_CHECK_INTERVAL)));
    }

    /** The server accepts connections, and has the page it must have. */
    private void onConnected(RemoteServer server) {
        server.key()
                .health()
                .call()
                .ifPresentOrElse(call -> makeCall(server, call), () -> revive(server));
    }

    /** What fails again and again is logged once. */
    private void note(RemoteServer server, String lack, String why) {
        if (noted.add(server)) {
            LOG.warn("{} stays left out: {}: {}", server.key().address(), lack, why);
        }
    }

    private void revive(RemoteServer server) {
        noted.remove(server);
        LOG.info("{} can be reached again", server.key().address());
        server.revive();
    }

    private void makeCall(RemoteServer server, HealthCall call) {
        ClientController controller = controllers.get();
        controller.method(call.method().descriptor());
        Message prototype = call.method().responsePrototype();
        engine.call(
                new CallSettings(OPTIONS, new Probed(Target.probed(server))),
                call.method().names(),
                controller,
                call.request(),
                prototype,
                answer -> {
                    if (controller.failed()) {
                        probeLater(server);
                        note(server, "its health call failed", controller.errorText());
                    } else {
                        revive(server);
                    }
                    controller.close();
                });
    }

    /** The server that is probed, reachable or not. */
    private record Probed(Target target) implements ServerSelector {
        @Override
        public Target select(PendingCall call) {
            return target;
        }

        @Override
        public TryFailure noServer() {
            return TryFailure.NONE;
        }

        @Override
        public List<Target> targets() {
            return List.of(target);
        }

        @Override
        public void close() {}
    }

    /** A connection that only tests whether the server accepts it, and has a page. */
    private final class Probe implements ConnectionHandler {
        private final RemoteServer server;
        private boolean isOpen;
        private boolean isGood;

        /** What was answered instead of the page. */
        private String answered = "";

        Probe(RemoteServer server) {
            this.server = server;
        }

        @Override
        public void onOpen(Connection connection) {
            isOpen = true;
            String path = server.key().health().path();
            if (path.isEmpty()) {
                pass(connection);
                return;
            }
            IOBuf request = transport.pool().buffer();
            request.append(
                    ("GET " + path + " HTTP/1.1\r\nHost: health\r\nConnection: close\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            connection.write(request);
        }

        private void pass(Connection connection) {
            isGood = true;
            connection.close();
            try {
                onConnected(server);
            } catch (Throwable e) {
                onFault(server, e);
            }
        }

        @Override
        public void onData(Connection connection, IOBuf received) {
            if (isGood) {
                received.clear();
            }
            if (received.size() < STATUS_END) {
                return;
            }
            byte[] status = new byte[STATUS_END];
            received.copyTo(0, status, 0, STATUS_END);
            received.clear();
            String text = new String(status, StandardCharsets.US_ASCII);
            if (text.endsWith(" 200")) {
                pass(connection);
            } else {
                answered = text.replaceAll("[^ -~]", "?");
                connection.close();
            }
        }

        @Override
        public void onClose(Connection connection, TransportException reason) {
            if (isGood) {
                return;
            }
            probeLater(server);
            // that nobody listens was said when the server was left out
            String path = server.key().health().path();
            if (!path.isEmpty() && (isOpen || reason.error() == TransportError.ESSL)) {
                note(server, "no page " + path, answered.isEmpty() ? reason.detail() : answered);
            }
        }
    }
}
