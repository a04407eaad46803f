// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.verbena.memory.BlockPool;
import io.verbena.memory.BlockPoolOptions;
import io.verbena.memory.IOBuf;
import io.verbena.memory.LeakTracking;
import io.verbena.testing.Eventually;
import io.verbena.transport.handshake.HelloBaselineTest;
import io.verbena.transport.handshake.RawListener;
import io.verbena.transport.rdma.DeviceUnderTest;
import io.verbena.transport.rdma.FaultyEndpoints;
import io.verbena.transport.rdma.Hello;
import io.verbena.transport.rdma.RdmaDevice;
import io.verbena.transport.rdma.RdmaEndpoint;
import io.verbena.transport.rdma.Side;
import io.verbena.verbs.Devices;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntSupplier;

/** A transport for one side, and queue pairs for a raw peer; nothing may be left at the end. */
@SuppressWarnings("exports") // seen by the tests of this module alone
public final class SocketFixture implements AutoCloseable {
    public static final TransportFlags FLAGS = ConnectionFixture.FLAGS;

    private static final BlockPoolOptions POOL =
            BlockPoolOptions.DEFAULT.withSizesMb(32, 32).withLeakTracking(LeakTracking.PARANOID);

    public final FaultyEndpoints endpoints;
    public final BlockPool pool;
    public final Transport transport;
    private final IntSupplier live;
    private final Optional<RdmaDomain> domain;
    private final Optional<RdmaDomain> peerDomain;
    private final Optional<RdmaEndpoint> peerEndpoint;
    private final AcceptedEchoes accepted = new AcceptedEchoes();
    private final List<TransportServer> servers = new ArrayList<>();

    public SocketFixture() {
        this(EndpointKind.PRETENDED);
    }

    public SocketFixture(EndpointKind kind) {
        if (kind == EndpointKind.PRETENDED) {
            PretendEndpoints pretended = new PretendEndpoints();
            domain = Optional.empty();
            peerDomain = Optional.empty();
            peerEndpoint = Optional.empty();
            live = pretended::live;
            endpoints = new FaultyEndpoints(pretended);
            pool = BlockPool.unregistered(POOL);
        } else {
            RdmaDomain real =
                    new RdmaDomain(
                            RdmaDevice.open(Devices.open(DeviceUnderTest.LEFT), FLAGS, POOL));
            domain = Optional.of(real);
            peerDomain =
                    Optional.of(
                            new RdmaDomain(
                                    RdmaDevice.open(
                                            Devices.open(DeviceUnderTest.RIGHT), FLAGS, POOL)));
            peerEndpoint = peerDomain.map(peer -> peer.endpoints().allocate(Side.SERVER));
            live = real::connections;
            endpoints = new FaultyEndpoints(real.endpoints());
            pool = real.pool();
        }
        transport = Transport.of(endpoints, pool, FLAGS);
    }

    public TransportServer server(SocketMode mode, TransportFlags flags) {
        TransportServer server = TransportServer.bind(transport, anyPort(), mode, flags, accepted);
        servers.add(server);
        return server;
    }

    public TransportServer server() {
        return server(SocketMode.RDMA, FLAGS);
    }

    public static InetSocketAddress anyPort() {
        return new InetSocketAddress(DeviceUnderTest.address(), 0);
    }

    /** {@return what the raw peer says about its queue pair} */
    public Hello hello() {
        return peerEndpoint.map(RdmaEndpoint::hello).orElse(HelloBaselineTest.HELLO);
    }

    /** Connects the raw peer's queue pair, if it has one. */
    public void bringUpPeer(Hello other) {
        peerEndpoint.ifPresent(endpoint -> endpoint.bringUp(other));
    }

    /** {@return the endpoints that were made and have not ended} */
    public int live() {
        return live.getAsInt();
    }

    /** {@return the handler of the next connection that was accepted} */
    public ParsingEcho nextAccepted() throws InterruptedException {
        return accepted.next();
    }

    /** {@return the one connection of a server, once it is there} */
    public Connection only(TransportServer server) {
        return onlyConnection(server);
    }

    static Connection onlyConnection(TransportServer server) {
        Eventually.become(() -> server.connections().size() == 1, server::connections);
        return server.connections().iterator().next();
    }

    public Connection connect(
            RawListener listener, RecordingHandler handler, TransportFlags flags) {
        return new TransportClient(transport, SocketMode.RDMA, flags)
                .connect(listener.address(), handler);
    }

    public IOBuf text(String text) {
        return pool.buffer().append(text);
    }

    /** {@return whether a connection reads from TCP at the moment} */
    public static boolean isReading(Connection connection) {
        return ((SocketConnection) connection).channel().config().isAutoRead();
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
