// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.verbena.rpc.test.EchoRequest;
import io.verbena.rpc.test.EchoResponse;
import io.verbena.rpc.wire.proto.RpcMeta;
import io.verbena.transport.SocketMode;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The checks of a server, their order, and what happens to the connection. */
class ServerChecksTest {
    private static final ByteString ECHO =
            EchoRequest.newBuilder().setMessage("hello").build().toByteString();
    private static final ByteString JUNK = ByteString.copyFromUtf8("\377\377\377\377");

    private final RpcFixture fixture = new RpcFixture(SocketMode.TCP);
    private final CountDownLatch release = new CountDownLatch(1);
    private final CountDownLatch entered = new CountDownLatch(1);

    @AfterEach
    void close() throws Exception {
        release.countDown();
        fixture.close();
    }

    /** Holds calls that are asked to wait until the test is over. */
    private final class Holding extends EchoServices.Echo {
        @Override
        public void echo(
                ServerController controller, EchoRequest request, Consumer<EchoResponse> done) {
            if (request.getMessage().equals("hold")) {
                entered.countDown();
                try {
                    release.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
            super.echo(controller, request, done);
        }
    }

    private Server server(ServerOptions options, Map<String, String> limits) {
        return fixture.closing(
                new Server(fixture.serverSide.node)
                        .add(new Holding(), limits)
                        .start(RpcFixture.anyPort(), options));
    }

    private RawClient client(Server server) throws Exception {
        return new RawClient(server.address().getPort());
    }

    private static RpcMeta.Builder echo(long correlation) {
        return RawClient.meta("test.EchoService", "Echo", correlation);
    }

    private void hold(RawClient client) throws Exception {
        client.send(echo(1), EchoRequest.newBuilder().setMessage("hold").build().toByteString());
        entered.await();
    }

    @Test
    void shouldAnswerARawRequest() throws Exception {
        Server server = server(ServerOptions.DEFAULT, Map.of());
        try (RawClient client = client(server)) {
            RawClient.Answer answer = client.send(echo(4711), ECHO).receive();

            assertThat(answer.meta().getCorrelationId()).isEqualTo(4711);
            assertThat(answer.code()).isZero();
            assertThat(answer.meta().getResponse().hasErrorCode()).isTrue();
            assertThat(EchoResponse.parseFrom(answer.behindMeta()).getMessage()).isEqualTo("hello");
        }
    }

    @Test
    void shouldFindAServiceWithoutItsPackage() throws Exception {
        Server server = server(ServerOptions.DEFAULT, Map.of());
        try (RawClient client = client(server)) {
            RawClient.Answer answer =
                    client.send(RawClient.meta("EchoService", "Echo", 1), ECHO).receive();

            assertThat(answer.code()).isZero();
        }
    }

    @Test
    void shouldSayThatABodyIsTooLargeAndServeTheNextCall() throws Exception {
        fixture.serverSide.node.flags().set(RpcFlag.MAX_BODY_SIZE, 1000L);
        Server server = server(ServerOptions.DEFAULT, Map.of());
        try (RawClient client = client(server)) {
            byte[] large =
                    RawClient.frame(echo(1).build(), ByteString.copyFrom(new byte[1_000_000]));
            client.send(Arrays.copyOf(large, 100));
            // the answer does not wait for the body
            RawClient.Answer answer = client.receive();
            client.send(Arrays.copyOfRange(large, 100, large.length));

            assertThat(answer.code()).isEqualTo(RpcError.EREQUEST.code());
            assertThat(answer.meta().getCorrelationId()).isEqualTo(1);
            assertThat(answer.meta().getResponse().getErrorText())
                    .contains("at most max_body_size, 1000");
            assertThat(client.send(echo(2), ECHO).receive().code()).isZero();
        }
    }

    @Test
    void shouldSayThatABodyIsTooLargeWhileItIsSent() throws Exception {
        fixture.serverSide.node.flags().set(RpcFlag.MAX_BODY_SIZE, 1000L);
        Server server = server(ServerOptions.DEFAULT, Map.of());
        Channel channel = fixture.channel(server, RpcFixture.PATIENT.withMaxRetry(0));
        for (int i = 0; i < 10; i++) {
            try (ClientController controller = channel.controller()) {
                EchoCalls.echo(channel, controller, "long ".repeat(4_000_000));

                assertThat(controller.errorText()).contains("at most max_body_size, 1000");
                assertThat(controller.errorCode()).isEqualTo(RpcError.EREQUEST.code());
            }
        }
    }

    @Test
    void shouldFailOnlyTheCallWhoseAnswerIsTooLarge() throws Exception {
        fixture.clientSide.node.flags().set(RpcFlag.MAX_BODY_SIZE, 1000L);
        Server server = server(ServerOptions.DEFAULT, Map.of());
        Channel channel = fixture.channel(server, RpcFixture.PATIENT);
        try (ClientController hit = channel.controller();
                ClientController after = channel.controller()) {
            EchoCalls.echo(channel, hit, "long ".repeat(100_000));

            assertThat(hit.errorCode()).isEqualTo(RpcError.ERESPONSE.code());
            assertThat(hit.errorText()).contains("at most max_body_size, 1000");
            assertThat(EchoCalls.echo(channel, after, "after")).isEqualTo("after");
            assertThat(after.retriedCount()).isZero();
            assertThat(server.connections()).hasSize(1);
        }
    }

    @Test
    void shouldRefuseEverythingWhileItStops() throws Exception {
        Server server = server(ServerOptions.DEFAULT.withMaxConcurrency(1), Map.of());
        try (RawClient client = client(server)) {
            hold(client);
            server.stop();

            // also over its limit, with an impossible attachment, for no service, and not parseable
            RawClient.Answer answer =
                    client.send(RawClient.meta("no", "no", 2).setAttachmentSize(99), JUNK)
                            .receive();

            assertThat(answer.code()).isEqualTo(RpcError.ELOGOFF.code());
            assertThat(answer.behindMeta()).isEmpty();
            release.countDown();
            RawClient.Answer held = client.receive();
            assertThat(held.code()).isZero();
            assertThat(held.meta().getCorrelationId()).isEqualTo(1);
        }
    }

    @Test
    void shouldCheckItsOwnLimitBeforeTheRequest() throws Exception {
        Server server = server(ServerOptions.DEFAULT.withMaxConcurrency(1), Map.of());
        try (RawClient client = client(server)) {
            hold(client);

            RawClient.Answer answer =
                    client.send(RawClient.meta("no", "no", 2).setAttachmentSize(99), JUNK)
                            .receive();

            assertThat(answer.code()).isEqualTo(RpcError.ELIMIT.code());
        }
    }

    @Test
    void shouldCheckTheAttachmentBeforeTheService() throws Exception {
        Server server = server(ServerOptions.DEFAULT, Map.of());
        try (RawClient client = client(server)) {
            assertThat(
                            client.send(RawClient.meta("no", "no", 2).setAttachmentSize(99), JUNK)
                                    .receive()
                                    .code())
                    .isEqualTo(RpcError.EREQUEST.code());
            assertThat(
                            client.send(RawClient.meta("no", "no", 2).setAttachmentSize(-1), JUNK)
                                    .receive()
                                    .code())
                    .isEqualTo(RpcError.EREQUEST.code());
        }
    }

    @Test
    void shouldTellAMissingServiceFromAMissingMethod() throws Exception {
        Server server = server(ServerOptions.DEFAULT, Map.of());
        try (RawClient client = client(server)) {
            // seen with brpc: a full name is looked up together with the method
            assertThat(client.send(RawClient.meta("no.such", "Echo", 2), JUNK).receive().code())
                    .isEqualTo(RpcError.ENOMETHOD.code());
            assertThat(client.send(RawClient.meta("no", "Echo", 2), JUNK).receive().code())
                    .isEqualTo(RpcError.ENOSERVICE.code());
            assertThat(
                            client.send(RawClient.meta("test.EchoService", "no", 2), JUNK)
                                    .receive()
                                    .code())
                    .isEqualTo(RpcError.ENOMETHOD.code());
        }
    }

    @Test
    void shouldCheckTheMethodsLimitBeforeTheInterceptor() throws Exception {
        Server server =
                server(
                        ServerOptions.DEFAULT.withInterceptor(
                                controller ->
                                        controller.localSide().getPort() < 0
                                                || entered.getCount() > 0),
                        Map.of("Echo", "1"));
        try (RawClient client = client(server)) {
            hold(client);

            assertThat(client.send(echo(2), JUNK).receive().code())
                    .isEqualTo(RpcError.ELIMIT.code());
        }
    }

    @Test
    void shouldAskTheInterceptorBeforeItDecodes() throws Exception {
        Server server =
                server(
                        ServerOptions.DEFAULT.withInterceptor(
                                controller -> {
                                    controller.setFailed(4711, "not today");
                                    return false;
                                }),
                        Map.of());
        try (RawClient client = client(server)) {
            RawClient.Answer answer = client.send(echo(2), JUNK).receive();

            assertThat(answer.code()).isEqualTo(4711);
            assertThat(answer.meta().getResponse().getErrorText()).endsWith("[E4711]not today");
        }
    }

    @Test
    void shouldRefuseARequestThatCannotBeDecoded() throws Exception {
        Server server = server(ServerOptions.DEFAULT, Map.of());
        try (RawClient client = client(server)) {
            assertThat(client.send(echo(1), JUNK).receive().code())
                    .isEqualTo(RpcError.EREQUEST.code());
            assertThat(client.send(echo(2).setCompressType(4), ECHO).receive().code())
                    .isEqualTo(RpcError.EREQUEST.code());
            assertThat(client.send(echo(3).setCompressType(2), ECHO).receive().code())
                    .isEqualTo(RpcError.EREQUEST.code());
            assertThat(
                            client.send(
                                            echo(4).setChecksumType(1)
                                                    .setChecksumValue(
                                                            ByteString.copyFromUtf8("1234")),
                                            ECHO)
                                    .receive()
                                    .code())
                    .isEqualTo(RpcError.EREQUEST.code());
            assertThat(client.send(echo(5), ECHO).receive().code()).isZero();
        }
    }

    @Test
    void shouldCloseAConnectionThatBreaksTheProtocol() throws Exception {
        Server server = server(ServerOptions.DEFAULT, Map.of());
        byte[] tooLarge = {'P', 'R', 'P', 'C', 0x7f, 0, 0, 0, 0x7f, 0, 0, 0};
        byte[] contradiction = {'P', 'R', 'P', 'C', 0, 0, 0, 2, 0, 0, 0, 4, 0, 0};
        byte[] noProtocol = "EHLO example.org\r\n".getBytes(StandardCharsets.US_ASCII);
        for (byte[] bytes : new byte[][] {tooLarge, contradiction, noProtocol}) {
            try (RawClient client = client(server)) {
                client.send(bytes);

                assertThat(client.isClosedByServer()).isTrue();
            }
        }
    }

    /** Knows one password. */
    private static final class Password implements Authenticator {
        private final String word;

        Password(String word) {
            this.word = word;
        }

        @Override
        public byte[] generateCredential() {
            return word.getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public String verifyCredential(byte[] credential, InetSocketAddress client) {
            return new String(credential, StandardCharsets.UTF_8).equals(word) ? "" : "wrong word";
        }
    }

    @Test
    void shouldVerifyTheFirstMessageOfEachConnection() throws Exception {
        Server server = server(ServerOptions.DEFAULT.withAuth(new Password("sesame")), Map.of());
        try (RawClient client = client(server)) {
            RawClient.Answer answer = client.send(echo(1), ECHO).receive();

            assertThat(answer.code()).isEqualTo(RpcError.ERPCAUTH.code());
            assertThat(answer.meta().getResponse().getErrorText()).contains("Fail to authenticate");
            assertThat(client.isClosedByServer()).isTrue();
        }
        try (RawClient client = client(server)) {
            ByteString sesame = ByteString.copyFromUtf8("sesame");
            assertThat(client.send(echo(1).setAuthenticationData(sesame), ECHO).receive().code())
                    .isZero();
            assertThat(client.send(echo(2), ECHO).receive().code()).isZero();
        }
    }

    @Test
    void shouldAuthenticateChannels() throws Exception {
        Server server = server(ServerOptions.DEFAULT.withAuth(new Password("sesame")), Map.of());
        for (String word : new String[] {"sesame", "abracadabra"}) {
            Channel channel =
                    fixture.channel(server, RpcFixture.PATIENT.withAuth(new Password(word)));
            ClientController controller = fixture.closing(channel.controller());
            EchoCalls.echo(channel, controller, "hello");

            assertThat(controller.errorCode())
                    .isEqualTo(word.equals("sesame") ? 0 : RpcError.ERPCAUTH.code());
        }
    }

    @Test
    void shouldRunCompressedAndCheckedRequests() throws Exception {
        Server server = server(ServerOptions.DEFAULT, Map.of());
        Channel channel = fixture.channel(server, RpcFixture.PATIENT);
        for (CompressType type : CompressType.values()) {
            for (boolean isChecked : new boolean[] {true, false}) {
                try (ClientController controller = channel.controller()) {
                    controller.setRequestCompressType(type);
                    controller.setRequestChecksum(isChecked);
                    controller.requestAttachment().append("beside");
                    String text = "text ".repeat(type.code() * 1000 + 1);

                    assertThat(EchoCalls.echo(channel, controller, text)).isEqualTo(text);
                    assertThat(controller.responseAttachment().toText()).isEqualTo("beside");
                }
            }
        }
    }
}
