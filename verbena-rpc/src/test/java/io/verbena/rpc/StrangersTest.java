// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.verbena.rpc.test.EchoRequest;
import io.verbena.rpc.wire.proto.RpcMeta;
import io.verbena.transport.SocketMode;
import io.verbena.transport.TransportFlag;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that nobody has authenticated: what they get, and what a good client gets meanwhile. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class StrangersTest {
    private static final ByteString ECHO = EchoCalls.request("x").toByteString();

    private final RpcFixture fixture =
            new RpcFixture(
                    SocketMode.TCP,
                    RpcFixture.FLAGS
                            .with(TransportFlag.MAX_NEWCOMERS, 2000)
                            .with(TransportFlag.MAX_NEWCOMERS_PER_ADDRESS, 1500));
    private final List<RawClient> clients = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (RawClient client : clients) {
            client.close();
        }
        fixture.close();
    }

    /** Accepts one word. */
    private static final class Word implements Authenticator {
        private final String word;

        Word(String word) {
            this.word = word;
        }

        @Override
        public byte[] generateCredential() {
            return word.getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public String verifyCredential(byte[] credential, InetSocketAddress client) {
            return Arrays.equals(credential, generateCredential()) ? "" : "wrong";
        }
    }

    private RawClient connect(Server server) throws Exception {
        RawClient client = new RawClient(server.address().getPort());
        clients.add(client);
        return client;
    }

    private static RpcMeta.Builder echo() {
        return RawClient.meta("test.EchoService", "Echo", 1);
    }

    private void expectAnswer(Server server, ChannelOptions options) {
        try (ClientController controller = fixture.clientSide.node.controller()) {
            Channel channel = fixture.channel(server, options);
            assertThat(EchoCalls.echo(channel, controller, "good"))
                    .as(controller.errorText())
                    .isEqualTo("good");
        }
    }

    @Test
    void shouldCutAThousandRequestsThatDoNotEnd() throws Exception {
        fixture.serverSide.node.flags().set(RpcFlag.REQUEST_TIMEOUT_MS, 1000L);
        Server server = fixture.server(ServerOptions.DEFAULT);
        byte[] frame = RawClient.frame(echo().build(), ECHO);
        for (int i = 0; i < 1000; i++) {
            connect(server).send(Arrays.copyOf(frame, 1 + i % (frame.length - 1)));
        }

        expectAnswer(server, RpcFixture.PATIENT);

        for (RawClient client : clients) {
            assertThat(client.isClosedByServer()).isTrue();
        }
        RpcFixture.eventually(
                () -> server.connections().size() == 1, () -> "" + server.connections().size());
        expectAnswer(server, RpcFixture.PATIENT);
    }

    @Test
    void shouldLetASlowRequestArriveInItsTime() throws Exception {
        fixture.serverSide.node.flags().set(RpcFlag.REQUEST_TIMEOUT_MS, 20_000L);
        Server server = fixture.server(ServerOptions.DEFAULT);
        byte[] frame = RawClient.frame(echo().build(), ECHO);
        RawClient slow = connect(server);

        slow.send(Arrays.copyOf(frame, 9));
        expectAnswer(server, RpcFixture.PATIENT);
        slow.send(Arrays.copyOfRange(frame, 9, frame.length));

        assertThat(slow.receive().code()).isZero();
    }

    @Test
    void shouldServeGoodClientsDuringAFlood() throws Exception {
        Server server = fixture.server(ServerOptions.DEFAULT);
        for (int round = 0; round < 10; round++) {
            for (int i = 0; i < 200; i++) {
                connect(server);
            }
            expectAnswer(server, RpcFixture.PATIENT.withConnectionGroup("round " + round));
        }

        RpcFixture.eventually(
                () -> server.connections().size() <= 1511, () -> "" + server.connections().size());
    }

    @Test
    void shouldAuthenticateBeforeItCollectsALargeBody() throws Exception {
        Server server = fixture.server(ServerOptions.DEFAULT.withAuth(new Word("sesame")));
        byte[] frame =
                RawClient.frame(
                        echo().setAuthenticationData(ByteString.copyFromUtf8("wrong")).build(),
                        ByteString.copyFrom(new byte[1 << 20]));

        RawClient.Answer refused =
                connect(server).send(Arrays.copyOf(frame, frame.length / 2)).receive();

        assertThat(refused.code()).isEqualTo(RpcError.ERPCAUTH.code());
        ByteString large =
                EchoRequest.newBuilder().setMessage("x".repeat(1 << 20)).build().toByteString();
        RawClient.Answer accepted =
                connect(server)
                        .send(
                                echo().setAuthenticationData(ByteString.copyFromUtf8("sesame")),
                                large)
                        .receive();
        assertThat(accepted.code()).isZero();
    }

    @Test
    void shouldTellAStrangerThatABodyIsTooLarge() throws Exception {
        fixture.serverSide.node.flags().set(RpcFlag.MAX_BODY_SIZE, 100_000L);
        Word word = new Word("sesame");
        Server server = fixture.server(ServerOptions.DEFAULT.withAuth(word));
        fixture.clientSide.node.flags().set(RpcFlag.MAX_BODY_SIZE, 1L << 30);
        try (ClientController controller = fixture.clientSide.node.controller()) {
            Channel channel = fixture.channel(server, RpcFixture.PATIENT.withAuth(word));

            EchoCalls.echo(channel, controller, "x".repeat(5 << 20));

            assertThat(controller.errorCode()).isEqualTo(RpcError.EREQUEST.code());
            assertThat(controller.errorText()).contains("max_body_size");
        }
    }

    @Test
    void shouldRefuseALargeMetaOfAStranger() throws Exception {
        Server server = fixture.server(ServerOptions.DEFAULT.withAuth(new Word("sesame")));
        byte[] frame =
                RawClient.frame(
                        RawClient.meta("x".repeat(100_000), "Echo", 1).build(), ByteString.EMPTY);

        assertThat(connect(server).send(Arrays.copyOf(frame, 100)).isClosedByServer()).isTrue();
    }

    @Test
    void shouldSlowDownClientsThatGuess() throws Exception {
        Word word = new Word("sesame");
        Server server = fixture.server(ServerOptions.DEFAULT.withAuth(word));
        ByteString wrong = ByteString.copyFromUtf8("wrong");
        long start = System.nanoTime();

        for (int i = 0; i < 6; i++) {
            RawClient.Answer answer =
                    connect(server).send(echo().setAuthenticationData(wrong), ECHO).receive();
            assertThat(answer.code()).isEqualTo(RpcError.ERPCAUTH.code());
        }

        // three for free, then 100, 200 and 400 ms
        assertThat(System.nanoTime() - start).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(700));
        expectAnswer(server, RpcFixture.PATIENT.withAuth(word));
    }

    @Test
    void shouldForgetAndLimitFailures() {
        FailedAttempts failures = new FailedAttempts();
        InetSocketAddress one = new InetSocketAddress("10.0.0.1", 1);
        List<Long> delays = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            delays.add(failures.record(one));
        }

        assertThat(delays)
                .containsExactly(
                        0L, 0L, 0L, 100L, 200L, 400L, 800L, 1600L, 2000L, 2000L, 2000L, 2000L);
        assertThat(failures.record(new InetSocketAddress("10.0.0.2", 1))).isZero();
        assertThat(failures.total()).isEqualTo(13);
    }
}
