// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.Eventually;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Connections over RDMA, and what happens to those that ask for it. */
class RdmaConnectionTest extends ConnectionConformance {
    @Override
    SocketMode mode() {
        return SocketMode.RDMA;
    }

    @ParameterizedTest
    @CsvSource({
        "RDMA, RDMA, 2, ESTABLISHED",
        "RDMA, RDMA, 3, ESTABLISHED",
        "TCP, TCP, 2, UNINIT",
        "TCP, RDMA, 2, UNINIT",
        "RDMA, TCP, 2, FALLBACK_TCP",
        "RDMA, TCP, 3, FALLBACK_TCP",
    })
    void shouldEcho(SocketMode client, SocketMode server, int version, HandshakeState state)
            throws Exception {
        TransportServer listening = fixture().server(server);
        Connection connection =
                fixture()
                        .client(client, version)
                        .open(listening.localAddress(), handler())
                        .get(20, TimeUnit.SECONDS);
        byte[] sent = random(3 << 20, version);

        connection.write(fixture().bytes(sent));

        Eventually.become(() -> handler().bytes().length == sent.length, connection::statistics);
        assertThat(handler().bytes()).isEqualTo(sent);
        assertThat(connection.handshakeState()).isEqualTo(state);
        assertThat(connection.isRdma()).isEqualTo(state == HandshakeState.ESTABLISHED);
        assertThat(connection.statistics().sentMessages() > 0).isEqualTo(connection.isRdma());
        connection.close();
        assertThat(handler().awaitClose().error()).isEqualTo(TransportError.ECLOSE);
        assertThat(fixture().nextAccepted().awaitClose().error()).isEqualTo(TransportError.EEOF);
    }

    /** The requests then fail, and the thread that reads TCP may be late. */
    @Test
    void shouldNoticeThatTheServerIsGoneHoweverLateTcpIsRead() throws Exception {
        TransportServer server = fixture().server(SocketMode.RDMA);
        Connection connection =
                fixture()
                        .client(SocketMode.RDMA, 2)
                        .open(server.localAddress(), handler())
                        .get(20, TimeUnit.SECONDS);
        CountDownLatch isRead = new CountDownLatch(1);
        ((SocketConnection) connection).loop().execute(() -> await(isRead));
        CompletableFuture.delayedExecutor(600, TimeUnit.MILLISECONDS).execute(isRead::countDown);

        fixture().only(server).close();
        assertThat(fixture().nextAccepted().awaitClose().error()).isEqualTo(TransportError.ECLOSE);
        connection.write(fixture().text("PRPC"));

        TransportException reason = handler().awaitClose();
        assertThat(reason.error()).as(reason.toString()).isEqualTo(TransportError.EEOF);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
