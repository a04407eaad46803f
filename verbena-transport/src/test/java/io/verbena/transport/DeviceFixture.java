// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.BlockPoolOptions;
import io.verbena.memory.LeakTracking;
import io.verbena.testing.Eventually;
import io.verbena.verbs.Devices;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A server on one software device and a client on another; nothing may be left at the end. */
final class DeviceFixture implements AutoCloseable {
    static final TransportFlags FLAGS =
            TransportFlags.DEFAULT
                    .with(TransportFlag.SOCKET_CLOSE_TIMEOUT_MS, 2000)
                    .with(TransportFlag.CONNECT_TIMEOUT_MS, 30_000)
                    .with(TransportFlag.RDMA_HANDSHAKE_TIMEOUT_MS, 30_000)
                    .with(TransportFlag.RDMA_PREPARED_QP_CNT, 0);

    private static final BlockPoolOptions POOL =
            BlockPoolOptions.DEFAULT.withSizesMb(32, 32).withLeakTracking(LeakTracking.SIMPLE);

    final RdmaDomain serverDomain =
            RdmaDomain.open(Devices.open(DeviceUnderTest.LEFT), FLAGS, POOL);
    final RdmaDomain clientDomain =
            RdmaDomain.open(Devices.open(DeviceUnderTest.RIGHT), FLAGS, POOL);
    final Transport serverTransport = Transport.over(serverDomain, FLAGS);
    final Transport clientTransport = Transport.over(clientDomain, FLAGS);
    private final BlockingQueue<ParsingEcho> accepted = new LinkedBlockingQueue<>();
    private final List<TransportServer> servers = new ArrayList<>();

    TransportServer server(SocketMode mode) {
        return server(mode, FLAGS);
    }

    TransportServer server(SocketMode mode, TransportFlags flags) {
        TransportServer server =
                TransportServer.bind(
                        serverTransport, SocketFixture.anyPort(), mode, flags, this::newHandler);
        servers.add(server);
        return server;
    }

    TransportClient client(SocketMode mode, int version) {
        return new TransportClient(
                clientTransport,
                mode,
                FLAGS.with(TransportFlag.RDMA_CLIENT_HANDSHAKE_VERSION, version));
    }

    private ParsingEcho newHandler() {
        ParsingEcho handler = new ParsingEcho();
        accepted.add(handler);
        return handler;
    }

    ParsingEcho nextAccepted() throws InterruptedException {
        ParsingEcho handler = accepted.poll(20, TimeUnit.SECONDS);
        assertThat(handler).as("accepted connection").isNotNull();
        return handler;
    }

    Connection only(TransportServer server) {
        Eventually.become(() -> server.connections().size() == 1, server::connections);
        return server.connections().iterator().next();
    }

    @Override
    public void close() {
        servers.forEach(TransportServer::close);
        Eventually.be(0, serverDomain::connections);
        Eventually.be(0, clientDomain::connections);
        clientTransport.close();
        serverTransport.close();
        Eventually.become(
                () -> serverDomain.pool().outstanding().isEmpty(),
                () -> serverDomain.pool().outstanding());
        Eventually.become(
                () -> clientDomain.pool().outstanding().isEmpty(),
                () -> clientDomain.pool().outstanding());
        clientDomain.close();
        serverDomain.close();
    }
}
