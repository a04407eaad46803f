// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.handshake;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.Eventually;
import io.verbena.transport.Connection;
import io.verbena.transport.ConnectionFixture;
import io.verbena.transport.HandshakeState;
import io.verbena.transport.ParsingEcho;
import io.verbena.transport.SocketMode;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import io.verbena.transport.TransportServer;
import io.verbena.transport.rdma.RdmaEndpoint;
import io.verbena.transport.rdma.RecordingSink;
import io.verbena.transport.rdma.Side;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Queue pairs that are connected before the handshake is over. */
class EarlyMessagesTest {
    private final ConnectionFixture fixture =
            new ConnectionFixture(SocketMode.RDMA, ConnectionFixture.FLAGS);

    @AfterEach
    void close() {
        fixture.close();
    }

    /**
     * brpc's servers lost connections when the first RDMA message was polled before the ACK was
     * read. Here the ACK comes only when the message is known to be in the server's memory.
     */
    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void shouldDeliverMessagesThatCameBeforeTheAck(int version) throws Exception {
        TransportServer server = fixture.server(SocketMode.RDMA);
        try (RawPeer client = RawPeer.connect(server.localAddress())) {
            RdmaEndpoint endpoint = fixture.clientEndpoints().allocate(Side.CLIENT);
            RecordingSink sink = new RecordingSink();
            byte[] hello =
                    version == 3
                            ? HelloV3.encode(endpoint.hello())
                            : HelloV2.encode(endpoint.hello());
            endpoint.bringUp(client.send(hello).readOffer());
            endpoint.open(sink);
            // Too long to be sent inline, so that its completion says that it has arrived.
            String first = "PRPC first".repeat(100);
            endpoint.write(fixture.text(first));
            Connection served = fixture.only(server);
            Eventually.become(
                    () ->
                            endpoint.statistics().sentMessages() == 1
                                    && endpoint.statistics().sendWindow()
                                            == endpoint.statistics().localWindowCapacity(),
                    endpoint::statistics);
            assertThat(served.handshakeState()).isEqualTo(HandshakeState.S_ACK_WAIT);
            ParsingEcho handler = fixture.nextAccepted();
            assertThat(handler.hasOpened()).isFalse();

            client.send(AckReader.encode(true));

            handler.awaitText(first);
            assertThat(served.handshakeState()).isEqualTo(HandshakeState.ESTABLISHED);
            assertThat(new String(sink.awaitBytes(1000), StandardCharsets.US_ASCII))
                    .isEqualTo(first);
            endpoint.abort(new TransportException(TransportError.ECLOSE, "done"));
        }
    }

    @Test
    void shouldFallBackFromAnEndpointThatReceivedAlready() throws Exception {
        TransportServer server = fixture.server(SocketMode.RDMA);
        try (RawPeer client = RawPeer.connect(server.localAddress())) {
            RdmaEndpoint endpoint = fixture.clientEndpoints().allocate(Side.CLIENT);
            client.send(HelloV2.encode(endpoint.hello())).readOffer();

            client.send(AckReader.encode(false)).send("PRPC");

            assertThat(client.readText(4)).isEqualTo("PRPC");
            Eventually.be(0, fixture::serverEndpoints);
            endpoint.abort(new TransportException(TransportError.ECLOSE, "done"));
        }
    }
}
