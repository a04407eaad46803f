// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.verbena.testing.Eventually;
import io.verbena.transport.handshake.RawPeer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a server allows peers that have not proved anything. */
class NewcomersTest {
    private final SocketFixture fixture = new SocketFixture();
    private final List<AutoCloseable> peers = new ArrayList<>();
    private TransportServer server;

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable peer : peers) {
            peer.close();
        }
        server.close();
        fixture.close();
    }

    private void start(TransportFlags flags) {
        server =
                TransportServer.bind(
                        fixture.transport,
                        SocketFixture.anyPort(),
                        SocketMode.RDMA,
                        flags,
                        Doorkeeper::new);
    }

    private RawPeer connect() throws Exception {
        RawPeer peer = RawPeer.connect(server.localAddress());
        peers.add(peer);
        return peer;
    }

    private RawPeer connectFrom(String address) throws Exception {
        Socket socket = new Socket();
        socket.bind(new InetSocketAddress(InetAddress.getByName(address), 0));
        socket.connect(server.localAddress(), 30_000);
        RawPeer peer = new RawPeer(socket);
        peers.add(peer);
        return peer;
    }

    private static void expectEcho(RawPeer peer, String text) throws Exception {
        assertThat(peer.send(text).readText(text.length())).isEqualTo(text);
    }

    @Test
    void shouldDropTheOldestOfAnAddressThatHasTooMany() throws Exception {
        start(SocketFixture.FLAGS.with(TransportFlag.MAX_NEWCOMERS_PER_ADDRESS, 10));
        RawPeer admitted = connect();
        expectEcho(admitted, "hello!");
        RawPeer elsewhere = connectFrom("127.0.0.2");

        for (int i = 0; i < 300; i++) {
            connect();
        }

        Eventually.be(290L, server::droppedConnections);
        Eventually.be(12, () -> server.connections().size());
        expectEcho(admitted, "still here");
        expectEcho(elsewhere, "me too");
        expectEcho(connect(), "good client");
    }

    @Test
    void shouldKeepNewcomersThatWereRenewed() throws Exception {
        start(SocketFixture.FLAGS.with(TransportFlag.MAX_NEWCOMERS_PER_ADDRESS, 2));
        RawPeer renewed = connect();
        RawPeer silent = connect();
        expectEcho(silent, "only once");
        expectEcho(renewed, "may I?");

        RawPeer third = connect();
        silent.expectEnd();
        expectEcho(renewed, "still here");
        expectEcho(third, "third");
        connect();
        renewed.expectEnd();

        Eventually.be(2L, server::droppedConnections);
    }

    @Test
    void shouldDropTheOldestIfThereAreTooManyFromManyAddresses() throws Exception {
        start(SocketFixture.FLAGS.with(TransportFlag.MAX_NEWCOMERS, 20));
        RawPeer admitted = connect();
        expectEcho(admitted, "hello!");

        for (int i = 0; i < 200; i++) {
            connectFrom("127.0.1." + (i + 1));
        }

        Eventually.be(180L, server::droppedConnections);
        expectEcho(admitted, "still here");
        expectEcho(connect(), "good client");
    }

    @Test
    void shouldDropPeersThatTakeTooLong() throws Exception {
        start(SocketFixture.FLAGS.with(TransportFlag.NEWCOMER_TIMEOUT_MS, 2000));
        RawPeer admitted = connect();
        expectEcho(admitted, "hello!");
        RawPeer silent = connect();
        RawPeer busy = connect();
        expectEcho(busy, "without a proof");

        silent.expectEnd();
        busy.expectEnd();

        assertThat(server.droppedConnections()).isEqualTo(2);
        expectEcho(admitted, "still here");
    }

    @Test
    void shouldReleaseWhatArrivesAfterTheEnd() throws Exception {
        start(SocketFixture.FLAGS);
        RawPeer peer = connect();
        Eventually.be(1, () -> server.connections().size());
        SocketConnection connection = (SocketConnection) server.connections().iterator().next();
        ByteBuf late = Unpooled.copiedBuffer("late", StandardCharsets.US_ASCII);

        connection
                .loop()
                .submit(
                        () -> {
                            connection.abort(
                                    new TransportException(TransportError.ESSL, "refused"));
                            connection.stage().onRead(late);
                        })
                .get(20, TimeUnit.SECONDS);

        assertThat(late.refCnt()).isZero();
        peer.expectEnd();
    }

    @Test
    void shouldRefuseMoreConnectionsThanAnAddressMayHave() throws Exception {
        start(SocketFixture.FLAGS.with(TransportFlag.MAX_CONNECTIONS_PER_ADDRESS, 2));
        RawPeer first = connect();
        expectEcho(first, "hello!");
        expectEcho(connect(), "hello!");

        connect().expectEnd();
        expectEcho(connectFrom("127.0.0.2"), "another address");

        first.close();
        Eventually.be(2, () -> server.connections().size());
        expectEcho(connect(), "room again");
        assertThat(server.droppedConnections()).isEqualTo(1);
    }
}
