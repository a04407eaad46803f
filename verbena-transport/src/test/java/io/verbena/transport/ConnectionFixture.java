// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.verbena.memory.BlockPool;
import io.verbena.memory.BlockPoolOptions;
import io.verbena.memory.IOBuf;
import io.verbena.memory.LeakTracking;
import io.verbena.memory.UserMemory;
import io.verbena.testing.Eventually;
import io.verbena.transport.rdma.DeviceUnderTest;
import io.verbena.transport.rdma.RdmaDevice;
import io.verbena.transport.rdma.RdmaEndpoints;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Devices;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A server and a client, each with a transport, a pool and perhaps a device of its own; nothing may
 * be left at the end.
 */
@SuppressWarnings("exports") // seen by the tests of this module alone
public final class ConnectionFixture implements AutoCloseable {
    /** Time limits that a slow machine does not reach. */
    public static final TransportFlags FLAGS =
            TransportFlags.DEFAULT
                    .with(TransportFlag.SOCKET_CLOSE_TIMEOUT_MS, 2000)
                    .with(TransportFlag.CONNECT_TIMEOUT_MS, 30_000)
                    .with(TransportFlag.RDMA_HANDSHAKE_TIMEOUT_MS, 30_000)
                    .with(TransportFlag.RDMA_PREPARED_QP_CNT, 0);

    private static final BlockPoolOptions POOL = BlockPoolOptions.DEFAULT.withSizesMb(32, 32);

    /** What one end has. */
    private record End(Transport transport, BlockPool pool, Optional<RdmaDomain> domain) {
        static End overTcp(TransportFlags flags) {
            BlockPool pool = BlockPool.unregistered(POOL.withLeakTracking(LeakTracking.PARANOID));
            return new End(Transport.overTcp(pool, flags), pool, Optional.empty());
        }

        static End overRdma(String device, TransportFlags flags) {
            RdmaDomain domain =
                    new RdmaDomain(
                            RdmaDevice.open(
                                    Devices.open(device),
                                    flags,
                                    POOL.withLeakTracking(LeakTracking.SIMPLE)));
            return new End(Transport.over(domain, flags), domain.pool(), Optional.of(domain));
        }

        int connections() {
            return domain.map(RdmaDomain::connections).orElse(0);
        }

        void close() {
            Eventually.become(() -> pool.outstanding().isEmpty(), pool::outstanding);
            domain.ifPresentOrElse(RdmaDomain::close, pool::close);
        }
    }

    private final SocketMode mode;
    private final TransportFlags flags;
    private final End server;
    private final End client;
    private final AcceptedEchoes accepted = new AcceptedEchoes();
    private final List<TransportServer> servers = new ArrayList<>();
    private final List<UserMemory> userMemories = new ArrayList<>();

    /**
     * Two ends.
     *
     * @param mode whether they have devices
     * @param flags of both
     */
    public ConnectionFixture(SocketMode mode, TransportFlags flags) {
        this.mode = mode;
        this.flags = flags;
        boolean isRdma = mode == SocketMode.RDMA;
        server = isRdma ? End.overRdma(DeviceUnderTest.LEFT, flags) : End.overTcp(flags);
        client = isRdma ? End.overRdma(DeviceUnderTest.RIGHT, flags) : End.overTcp(flags);
    }

    public Transport serverTransport() {
        return server.transport();
    }

    public Transport clientTransport() {
        return client.transport();
    }

    /** {@return a server that echoes, in the fixture's mode} */
    public TransportServer server() {
        return server(mode);
    }

    /** {@return a server that echoes} */
    public TransportServer server(SocketMode offer) {
        return server(offer, flags);
    }

    /** {@return a server that echoes, with settings of its own} */
    public TransportServer server(SocketMode offer, TransportFlags settings) {
        return server(offer, settings, accepted);
    }

    /** {@return a server with the test's handlers, in the fixture's mode} */
    public TransportServer server(Supplier<? extends ConnectionHandler> handlers) {
        return server(mode, flags, handlers);
    }

    /** {@return a server with settings and handlers of the test, in the fixture's mode} */
    public TransportServer server(
            TransportFlags settings, Supplier<? extends ConnectionHandler> handlers) {
        return server(mode, settings, handlers);
    }

    private TransportServer server(
            SocketMode offer,
            TransportFlags settings,
            Supplier<? extends ConnectionHandler> handlers) {
        TransportServer made =
                TransportServer.bind(
                        server.transport(), SocketFixture.anyPort(), offer, settings, handlers);
        servers.add(made);
        return made;
    }

    /** {@return a client in the fixture's mode} */
    public TransportClient client() {
        return new TransportClient(client.transport(), mode);
    }

    /** {@return a client that sends a certain hello} */
    public TransportClient client(SocketMode wanted, int version) {
        return new TransportClient(
                client.transport(),
                wanted,
                flags.with(TransportFlag.RDMA_CLIENT_HANDSHAKE_VERSION, version));
    }

    /** {@return bytes in the client's memory} */
    public IOBuf bytes(byte[] bytes) {
        return client.pool().buffer().append(bytes);
    }

    /** {@return bytes in the client's memory} */
    public IOBuf text(String text) {
        return client.pool().buffer().append(text);
    }

    /** {@return the test's memory as bytes for the client, registered if it has a device} */
    public IOBuf userData(MemorySegment memory, Runnable onRelease) {
        if (client.domain().isEmpty()) {
            return client.pool()
                    .buffer()
                    .appendUserData(memory, BlockPool.NOT_REGISTERED, onRelease);
        }
        UserMemory registered = client.pool().register(memory);
        userMemories.add(registered);
        return client.pool().buffer().appendUserData(registered, 0, memory.byteSize(), onRelease);
    }

    /** Closes the registrations of {@link #userData}; nothing refers to them any more. */
    public void closeUserMemory() {
        userMemories.forEach(UserMemory::close);
    }

    /** {@return the handler of the next connection that an echo server has accepted} */
    public ParsingEcho nextAccepted() throws InterruptedException {
        return accepted.next();
    }

    /** {@return the one connection of a server, once it is there} */
    public Connection only(TransportServer server) {
        return SocketFixture.onlyConnection(server);
    }

    /** {@return how many endpoints of the server there are} */
    public int serverEndpoints() {
        return server.connections();
    }

    /** {@return how many endpoints of the client there are} */
    public int clientEndpointCount() {
        return client.connections();
    }

    /** {@return the factory of the client's endpoints, for a client that is not a transport} */
    public RdmaEndpoints clientEndpoints() {
        return client.domain().orElseThrow().endpoints();
    }

    /** {@return the client's open device} */
    public DeviceContext clientDevice() {
        return client.domain().orElseThrow().context();
    }

    @Override
    public void close() {
        servers.forEach(TransportServer::close);
        Eventually.be(0, server::connections);
        Eventually.be(0, client::connections);
        client.transport().close();
        server.transport().close();
        server.close();
        client.close();
    }
}
