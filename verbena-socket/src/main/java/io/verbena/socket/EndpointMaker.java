// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import io.verbena.verbs.ConnectionIdentifier;
import io.verbena.verbs.ConnectionParameters;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.Connector;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Errno;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.VerbsException;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * Makes the endpoints of new connections: claims their slot, posts their receives, and negotiates
 * with the peer.
 */
final class EndpointMaker {
    private static final int RETRIES = 7;

    private final ProtectionDomain domain;
    private final EventLoop loop;
    private final MessageMemory memory;
    private final Farewells farewells;
    private final Departures departures;
    private final SocketOptions options;

    EndpointMaker(
            ProtectionDomain domain,
            EventLoop loop,
            MessageMemory memory,
            Farewells farewells,
            Departures departures,
            SocketOptions options) {
        this.domain = domain;
        this.loop = loop;
        this.memory = memory;
        this.farewells = farewells;
        this.departures = departures;
        this.options = options;
    }

    /** {@return the connecting end} */
    SocketEndpoint connect(DeviceContext context, InetSocketAddress server)
            throws InterruptedException {
        try (Connector connector = Connector.resolve(context, server, options.handshakeTimeout())) {
            ConnectionIdentifier identifier = connector.identifier();
            SocketEndpoint endpoint = make(identifier);
            try {
                Compatibility offer = options.compatibility();
                ConnectionParameters answer = connector.connect(parameters(offer));
                Optional<Greeting> peer =
                        offer == Compatibility.NATIVE
                                ? Greeting.of(answer.privateData())
                                : Optional.empty();
                agree(endpoint, Agreement.of(peer, reads("rdma_connect", answer)), offer);
                hand(identifier, endpoint);
                return endpoint;
            } catch (Throwable e) { // or its queue pair would stay for ever
                drop(endpoint);
                throw e;
            }
        }
    }

    /** {@return the accepting end} */
    SocketEndpoint accept(ConnectionRequest request) throws InterruptedException {
        ConnectionParameters offered = request.offered();
        int reads = reads("rdma_accept", offered);
        Optional<Greeting> peer =
                options.compatibility() == Compatibility.NATIVE
                        ? Greeting.of(offered.privateData())
                        : Optional.empty();
        Compatibility answer = peer.isPresent() ? Compatibility.NATIVE : Compatibility.SEED;
        SocketEndpoint endpoint = make(request.identifier(), answer);
        try {
            agree(endpoint, Agreement.of(peer, reads), answer);
            request.accept(parameters(answer), options.handshakeTimeout());
            hand(request.identifier(), endpoint);
            return endpoint;
        } catch (Throwable e) { // or its queue pair would stay for ever
            drop(endpoint);
            throw e;
        }
    }

    /** {@return how many reads the peer answers at once} If none, no large message can arrive. */
    private static int reads(String verb, ConnectionParameters peer) {
        if (peer.initiatorDepth() == 0) {
            throw new VerbsException(
                    verb,
                    Errno.EOPNOTSUPP,
                    "reads the peer answers: 0 (expected: at least 1, its responder_resources)");
        }
        return peer.initiatorDepth();
    }

    private static ConnectionParameters parameters(Compatibility offer) {
        byte[] privateData =
                offer == Compatibility.NATIVE ? ReceiveSlots.greeting().toBytes() : new byte[0];
        return new ConnectionParameters(
                privateData, Agreement.SEED_READS, Agreement.SEED_READS, RETRIES, RETRIES);
    }

    private SocketEndpoint make(ConnectionIdentifier identifier) {
        return make(identifier, options.compatibility());
    }

    private SocketEndpoint make(ConnectionIdentifier identifier, Compatibility offer) {
        SocketEndpoint[] made = new SocketEndpoint[1];
        if (!loop.inTurn(() -> made[0] = makeInTurn(identifier, offer))) {
            throw new IllegalStateException("the socket stack is closed");
        }
        return made[0];
    }

    private SocketEndpoint makeInTurn(ConnectionIdentifier identifier, Compatibility offer) {
        CompletionPort port = loop.roomyPort();
        long owner = port.claim();
        try {
            QueuePair pair = identifier.createQueuePair(domain, sizes(port));
            SocketEndpoint made =
                    new SocketEndpoint(
                            loop,
                            port,
                            owner,
                            new Departure(identifier, departures),
                            pair,
                            memory,
                            options);
            start(made, pair, offer);
            return made;
        } catch (Throwable e) { // or its slot would stay taken for ever
            port.vacate(owner);
            throw e;
        }
    }

    private static void start(SocketEndpoint made, QueuePair pair, Compatibility offer) {
        try {
            made.start(offer);
        } catch (Throwable e) {
            // first the queue pair: the device must not write to memory that is given back
            pair.close();
            made.slots().release();
            throw e;
        }
    }

    private static QueuePairOptions sizes(CompletionPort port) {
        return QueuePairOptions.of(port.queue())
                .withRequests(
                        NumberedSends.DEPTH, ReceiveSlots.NATIVE_COUNT + ReceiveSlots.SEED_COUNT)
                .withInline(MetaData.BYTES);
    }

    private void agree(SocketEndpoint endpoint, Agreement agreement, Compatibility offer) {
        loop.inTurn(() -> endpoint.agree(agreement, offer));
    }

    private void hand(ConnectionIdentifier identifier, SocketEndpoint endpoint) {
        farewells.watch(identifier, endpoint);
        loop.inTurn(endpoint::onMade);
    }

    /** Ends a connection that was not handed out yet. */
    static void drop(SocketEndpoint endpoint) {
        endpoint.depart();
        endpoint.awaitEnd();
        endpoint.release();
    }
}
