// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.verbena.rpc.test.probe.Answer;
import io.verbena.rpc.test.probe.ProbeServiceClient;
import io.verbena.rpc.test.probe.Question;
import io.verbena.transport.SocketMode;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class StubTest {
    private RpcFixture fixture = new RpcFixture(SocketMode.TCP);

    @AfterEach
    void close() {
        fixture.close();
    }

    private ProbeServiceClient client(RpcService service) {
        return client(service, ServerOptions.DEFAULT, RpcFixture.PATIENT);
    }

    private ProbeServiceClient client(
            RpcService service, ServerOptions serverOptions, ChannelOptions options) {
        return new ProbeServiceClient(channel(service, serverOptions, options));
    }

    private Channel channel(
            RpcService service, ServerOptions serverOptions, ChannelOptions options) {
        Server server =
                fixture.closing(
                        new Server(fixture.serverSide.node)
                                .add(service)
                                .start(RpcFixture.anyPort(), serverOptions));
        return fixture.channel(server, options);
    }

    @ParameterizedTest
    @EnumSource(SocketMode.class)
    void shouldCallInEveryForm(SocketMode mode) throws Exception {
        fixture.close();
        fixture = new RpcFixture(mode);
        ProbeServiceClient client =
                client(
                        Probes.service(Probes::echo),
                        ServerOptions.DEFAULT.withSocketMode(mode),
                        RpcFixture.PATIENT.withSocketMode(mode));
        CompletableFuture<String> called = new CompletableFuture<>();

        try (ClientController call = fixture.clientSide.node.controller()) {
            assertThat(client.ask(Probes.question("a")).getText()).isEqualTo("a");
            assertThat(client.askQuickly(Probes.question("b")).getText()).isEqualTo("b");
            assertThat(client.ask(Probes.question("c"), call).getText()).isEqualTo("c");
            assertThat(client.askAsync(Probes.question("d")).get().getText()).isEqualTo("d");
            assertThat(client.askAsync(Probes.question("e"), call).get().getText()).isEqualTo("e");
            client.askAsync(
                    Probes.question("f"), call, answer -> called.complete(answer.getText()));
            assertThat(called.get(20, TimeUnit.SECONDS)).isEqualTo("f");
            assertThat(call.isRdma()).isEqualTo(mode == SocketMode.RDMA);
        }
    }

    @Test
    void shouldCarryWhatGoesAlongWithTheMessages() {
        Channel channel =
                channel(Probes.service(Probes::echo), ServerOptions.DEFAULT, RpcFixture.PATIENT);

        try (ClientCall call = channel.newCall()) {
            call.requestAttachment().append("attached");
            call.requestUserFields().put("colour", "green");
            new ProbeServiceClient(channel).ask(Probes.question("x"), call);

            assertThat(call.responseAttachment().toText()).isEqualTo("attached");
            assertThat(call.responseUserFields()).isEqualTo(Map.of("colour", "green"));
        }
    }

    @Test
    void shouldReleaseAttachmentsThatNobodyReads() throws Exception {
        ProbeServiceClient client =
                client(
                        Probes.service(
                                (call, question) -> {
                                    call.responseAttachment().append("unexpected");
                                    return Probes.answer("x");
                                }));

        client.ask(Probes.question("x"));
        client.askAsync(Probes.question("x")).get();

        // the fixture fails if memory is missing at the end
        assertThat(fixture.clientSide.node.callsUnderWay()).isZero();
    }

    @Test
    void shouldTellTheServiceAboutItsCall() {
        AtomicReference<String> seen = new AtomicReference<>("");
        AtomicReference<InetSocketAddress> peer = new AtomicReference<>();
        Authenticator byName =
                new Authenticator() {
                    @Override
                    public byte[] generateCredential() {
                        return "alice".getBytes(StandardCharsets.UTF_8);
                    }

                    @Override
                    public String verifyCredential(byte[] credential, InetSocketAddress client) {
                        return credential.length > 0 ? "" : "who are you?";
                    }

                    @Override
                    public String identify(byte[] credential, InetSocketAddress client) {
                        return new String(credential, StandardCharsets.UTF_8);
                    }
                };
        ProbeServiceClient client =
                client(
                        Probes.service(
                                (call, question) -> {
                                    seen.set(
                                            call.serviceName()
                                                    + "/"
                                                    + call.methodName()
                                                    + " "
                                                    + call.identity()
                                                    + " "
                                                    + (call.remainingMs() <= call.timeoutMs())
                                                    + " "
                                                    + call.timeoutMs());
                                    peer.set(call.remoteSide());
                                    return Probes.answer("");
                                }),
                        ServerOptions.DEFAULT.withAuth(byName),
                        RpcFixture.PATIENT.withAuth(byName));

        client.askQuickly(Probes.question("x"));

        assertThat(seen.get())
                .startsWith("test.probe.ProbeService/AskQuickly alice true ")
                .matches(".* (20000|1\\d{4})");
        assertThat(peer.get().getAddress().isLoopbackAddress()).isTrue();
    }

    @Test
    void shouldAnswerWhenTheStageIsComplete() throws Exception {
        CompletableFuture<Answer> later = new CompletableFuture<>();
        ProbeServiceClient client = client(Probes.async((call, question) -> later));

        CompletableFuture<Answer> answer = client.askAsync(Probes.question("x"));
        later.complete(Probes.answer("at last"));

        assertThat(answer.get().getText()).isEqualTo("at last");
    }

    @Test
    void shouldAnswerWithTheFailureOfTheStage() {
        ProbeServiceClient client =
                client(
                        Probes.async(
                                (call, question) ->
                                        CompletableFuture.failedFuture(
                                                new RpcException(4711, "as you wish"))));

        assertThatThrownBy(() -> client.askAsync(Probes.question("x")).get())
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        RpcException.class, e -> assertThat(e.code()).isEqualTo(4711));
    }

    @Test
    void shouldServeTwoServicesAndRefuseTwins() {
        Server server = new Server(fixture.serverSide.node);
        server.add(Probes.service(Probes::echo)).add(Probes.service(Probes::echo));

        assertThatThrownBy(() -> server.start(RpcFixture.anyPort(), ServerOptions.DEFAULT))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("test.probe.ProbeService");
    }

    @Test
    void shouldRefuseMissingArguments() {
        ProbeServiceClient client = client(Probes.service(Probes::echo));

        assertThatThrownBy(() -> client.ask(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> client.ask(Probes.question("x"), null))
                .isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> new ProbeServiceClient(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("channel");
        RpcException missing =
                catchThrowableOfType(
                        RpcException.class, () -> client.ask(Question.newBuilder().buildPartial()));
        assertThat(missing.code()).isEqualTo(RpcError.EREQUEST.code());
    }
}
