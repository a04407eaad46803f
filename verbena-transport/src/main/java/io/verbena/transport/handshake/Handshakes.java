// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.handshake;

import io.verbena.transport.SocketMode;
import io.verbena.transport.TransportFlag;
import io.verbena.transport.TransportFlags;
import io.verbena.transport.rdma.RdmaEndpoints;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;

/** Makes the handshake that a connection begins with. */
public final class Handshakes {
    private Handshakes() {}

    /**
     * {@return no handshake: the client wants TCP}
     *
     * @param host the connection
     */
    public static Handshake plainTcp(Handshake.Host host) {
        return new PlainTcp(host);
    }

    /**
     * {@return the handshake of a client that sends a hello}
     *
     * @param endpoints where the queue pair comes from
     * @param flags which version of the hello, and what it contains
     * @param host the connection
     */
    public static Handshake client(
            RdmaEndpoints endpoints, TransportFlags flags, Handshake.Host host) {
        HelloVersion version =
                HelloVersion.of(flags.integer(TransportFlag.RDMA_CLIENT_HANDSHAKE_VERSION));
        ClientHelloMachine machine =
                new ClientHelloMachine(version, flags.isOn(TransportFlag.RDMA_ECE));
        return new HelloClient(machine, endpoints, host);
    }

    /**
     * {@return the handshake of a client that uses the connection manager}
     *
     * @param events the connection manager's
     * @param endpoints where the queue pair comes from
     * @param server where the server listens
     * @param flags the time limit of each step
     * @param host the connection
     */
    public static Handshake cmClient(
            RdmaCmEvents events,
            RdmaEndpoints endpoints,
            InetSocketAddress server,
            TransportFlags flags,
            Handshake.Host host) {
        Duration limit = Duration.ofMillis(flags.number(TransportFlag.RDMA_HANDSHAKE_TIMEOUT_MS));
        return new RdmaCmClient(events, endpoints, server, limit, events.nextToken(), host);
    }

    /**
     * {@return the handshake of a server}
     *
     * @param mode what the server offers
     * @param endpoints where the queue pair comes from
     * @param acceptor delivers the requests of clients that use the connection manager, if that is
     *     allowed
     * @param flags what its hello contains
     * @param host the connection
     */
    public static Handshake server(
            SocketMode mode,
            RdmaEndpoints endpoints,
            Optional<RdmaCmAcceptor> acceptor,
            TransportFlags flags,
            Handshake.Host host) {
        ServerHelloMachine machine =
                new ServerHelloMachine(mode, flags.isOn(TransportFlag.RDMA_ECE));
        HelloServer hello = new HelloServer(machine, endpoints, host);
        return acceptor.<Handshake>map(
                        by -> new ServerChoice(hello, new RdmaCmServer(by, endpoints, host)))
                .orElse(hello);
    }
}
