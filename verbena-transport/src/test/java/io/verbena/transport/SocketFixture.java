// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.BlockPool;
import io.verbena.memory.BlockPoolOptions;
import io.verbena.memory.IOBuf;
import io.verbena.memory.LeakTracking;
import io.verbena.testing.Eventually;
import io.verbena.verbs.Devices;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/** A transport for one side, and queue pairs for a raw peer; nothing may be left at the end. */
final class SocketFixture implements AutoCloseable {
    static final TransportFlags FLAGS =
            TransportFlags.DEFAULT
                    .with(TransportFlag.SOCKET_CLOSE_TIMEOUT_MS, 2000)
                    .with(TransportFlag.CONNECT_TIMEOUT_MS, 30_000)
                    .with(TransportFlag.RDMA_HANDSHAKE_TIMEOUT_MS, 30_000)
                    .with(TransportFlag.RDMA_PREPARED_QP_CNT, 0);

    private static final BlockPoolOptions POOL =
            BlockPoolOptions.DEFAULT.withSizesMb(32, 32).withLeakTracking(LeakTracking.PARANOID);

    final FaultyEndpoints endpoints;
    final BlockPool pool;
    final Transport transport;
    private final IntSupplier live;
    private final Optional<RdmaDomain> domain;
    private final Optional<RdmaDomain> peerDomain;
    private final Optional<RdmaEndpoint> peerEndpoint;
    private final BlockingQueue<ParsingEcho> accepted = new LinkedBlockingQueue<>();
    private final List<TransportServer> servers = new ArrayList<>();

    SocketFixture() {
        this(EndpointKind.PRETENDED);
    }

    SocketFixture(EndpointKind kind) {
        if (kind == EndpointKind.PRETENDED) {
            PretendEndpoints pretended = new PretendEndpoints();
            domain = Optional.empty();
            peerDomain = Optional.empty();
            peerEndpoint = Optional.empty();
            live = pretended::live;
            endpoints = new FaultyEndpoints(pretended);
            pool = BlockPool.unregistered(POOL);
        } else {
            RdmaDomain real = RdmaDomain.open(Devices.open(DeviceUnderTest.LEFT), FLAGS, POOL);
            domain = Optional.of(real);
            peerDomain =
                    Optional.of(RdmaDomain.open(Devices.open(DeviceUnderTest.RIGHT), FLAGS, POOL));
            peerEndpoint = peerDomain.map(peer -> peer.endpoints().allocate());
            live = real::connections;
            endpoints = new FaultyEndpoints(real.endpoints());
            pool = real.pool();
        }
        transport = Transport.of(endpoints, pool, FLAGS);
    }

    TransportServer server(SocketMode mode, TransportFlags flags) {
        TransportServer server =
                TransportServer.bind(transport, anyPort(), mode, flags, this::newHandler);
        servers.add(server);
        return server;
    }

    TransportServer server() {
        return server(SocketMode.RDMA, FLAGS);
    }

    static InetSocketAddress anyPort() {
        return new InetSocketAddress(DeviceUnderTest.address(), 0);
    }

    private ParsingEcho newHandler() {
        ParsingEcho handler = new ParsingEcho();
        accepted.add(handler);
        return handler;
    }

    /** {@return what the raw peer tells about its queue pair} */
    Hello hello() {
        return peerEndpoint.map(RdmaEndpoint::hello).orElse(HelloBaselineTest.HELLO);
    }

    /** Connects the raw peer's queue pair, if it has one. */
    void bringUpPeer(Hello other) {
        peerEndpoint.ifPresent(endpoint -> endpoint.bringUp(other));
    }

    /** {@return the endpoints that were made and have not ended} */
    int live() {
        return live.getAsInt();
    }

    /** {@return the handler of the next connection that was accepted} */
    ParsingEcho nextAccepted() throws InterruptedException {
        ParsingEcho handler = accepted.poll(20, TimeUnit.SECONDS);
        assertThat(handler).as("accepted connection").isNotNull();
        return handler;
    }

    /** {@return the one connection of a server, once it is there} */
    Connection only(TransportServer server) {
        Eventually.become(() -> server.connections().size() == 1, server::connections);
        return server.connections().iterator().next();
    }

    Connection connect(RawListener listener, RecordingHandler handler, TransportFlags flags) {
        return new TransportClient(transport, SocketMode.RDMA, flags)
                .connect(listener.address(), handler);
    }

    IOBuf text(String text) {
        return pool.buffer().append(text);
    }

    @Override
    public void close() {
        servers.forEach(TransportServer::close);
        Eventually.be(0, this::live);
        transport.close();
        peerEndpoint.ifPresent(
                endpoint -> endpoint.abort(new TransportException(TransportError.ECLOSE, "end")));
        Eventually.become(() -> pool.outstanding().isEmpty(), pool::outstanding);
        peerDomain.ifPresent(RdmaDomain::close);
        domain.ifPresentOrElse(RdmaDomain::close, this::closePretended);
    }

    private void closePretended() {
        endpoints.close();
        pool.close();
    }
}
