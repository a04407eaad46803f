// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.Message;
import io.verbena.rpc.test.probe.Answer;
import io.verbena.rpc.test.probe.NewerQuestion;
import io.verbena.rpc.test.probe.ProbeService;
import io.verbena.rpc.test.probe.ProbeServiceClient;
import io.verbena.rpc.test.probe.Question;
import io.verbena.rpc.test.probe.Remark;
import io.verbena.transport.SocketMode;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A service that does what it should not, and a client that sends what it should not. */
class FaultyServiceTest {
    private final RpcFixture fixture = new RpcFixture(SocketMode.TCP);

    @AfterEach
    void close() {
        fixture.close();
    }

    private Channel channel(RpcService service) {
        Server server =
                fixture.closing(
                        new Server(fixture.serverSide.node)
                                .add(service)
                                .start(RpcFixture.anyPort(), ServerOptions.DEFAULT));
        return fixture.channel(server, RpcFixture.PATIENT);
    }

    private RpcException failureOf(UnaryHandler<Question, Answer> handler) {
        ProbeServiceClient client = new ProbeServiceClient(channel(Probes.service(handler)));
        return catchThrowableOfType(
                RpcException.class, () -> client.ask(Probes.question("anything")));
    }

    @Test
    void shouldAnswerWithTheCodeThatTheServiceThrows() {
        RpcException thrown =
                failureOf(
                        (call, question) -> {
                            throw new RpcException(4711, "as you wish");
                        });

        assertThat(thrown.code()).isEqualTo(4711);
        assertThat(thrown.text()).startsWith("[E4711][127.0.0.1:").endsWith("[E4711]as you wish");
    }

    @Test
    void shouldAnswerThatTheServiceFailed() {
        RpcException thrown =
                failureOf(
                        (call, question) -> {
                            throw new IOException("the disk is full");
                        });

        assertThat(thrown.code()).isEqualTo(RpcError.EINTERNAL.code());
        assertThat(thrown.text())
                .endsWith("the service failed: java.io.IOException: the disk is full");
    }

    @Test
    void shouldAnswerThatThereIsNoResponse() {
        RpcException thrown = failureOf((call, question) -> null);

        assertThat(thrown.code()).isEqualTo(RpcError.EINTERNAL.code());
        assertThat(thrown.text()).endsWith("the service answered without a response");
    }

    @Test
    void shouldAnswerThatTheResponseIsIncomplete() {
        RpcException thrown = failureOf((call, question) -> Answer.newBuilder().buildPartial());

        assertThat(thrown.code()).isEqualTo(RpcError.ERESPONSE.code());
        assertThat(thrown.text()).contains("the response is broken").contains("text");
    }

    @Test
    void shouldEndACallWhoseServiceBlocks() {
        CountDownLatch release = new CountDownLatch(1);
        Channel channel =
                channel(
                        Probes.service(
                                (call, question) -> {
                                    release.await();
                                    return Probes.answer("too late");
                                }));

        try (ClientCall call = channel.newCall()) {
            call.setTimeoutMs(50);
            RpcException thrown =
                    catchThrowableOfType(
                            RpcException.class,
                            () -> new ProbeServiceClient(channel).ask(Probes.question("x"), call));

            assertThat(thrown.code()).isEqualTo(RpcError.ERPCTIMEDOUT.code());
            assertThat(thrown.text()).contains("reached timeout=50ms");
        } finally {
            release.countDown();
        }
    }

    @Test
    void shouldCountAnAnswerAfterTheDeadlineAsAFailure() throws Exception {
        CompletableFuture<String> end = new CompletableFuture<>();
        ServerInterceptor watch =
                new ServerInterceptor() {
                    @Override
                    public void onEnd(Call call) {
                        end.complete(call.errorCode() + " " + (call.remainingMs() <= 0));
                    }
                };
        ProbeService service =
                Probes.service(
                        (call, question) -> {
                            while (call.remainingMs() >= 0) {
                                LockSupport.parkNanos(1_000_000);
                            }
                            return Probes.answer("too late");
                        });
        Server server =
                fixture.closing(
                        new Server(fixture.serverSide.node)
                                .add(service)
                                .start(
                                        RpcFixture.anyPort(),
                                        ServerOptions.DEFAULT.withInterceptors(watch)));
        Channel channel = fixture.channel(server, RpcFixture.PATIENT.withTimeoutMs(1_000));

        RpcException thrown =
                catchThrowableOfType(
                        RpcException.class,
                        () -> new ProbeServiceClient(channel).ask(Probes.question("x")));

        assertThat(thrown.code()).isEqualTo(RpcError.ERPCTIMEDOUT.code());
        assertThat(end.get(20, TimeUnit.SECONDS)).isEqualTo(RpcError.ERPCTIMEDOUT.code() + " true");
    }

    @Test
    void shouldIgnoreAFieldThatItDoesNotKnow() {
        Channel channel = channel(Probes.service(Probes::echo));

        Answer answer =
                channel.call(
                        asked(NewerQuestion.getDefaultInstance()),
                        NewerQuestion.newBuilder().setText("x").setMood("curious").build());

        assertThat(answer.getText()).isEqualTo("x");
    }

    @Test
    void shouldRefuseAMessageOfAnotherType() {
        Channel channel = channel(Probes.service(Probes::echo));

        RpcException thrown =
                catchThrowableOfType(
                        RpcException.class,
                        () ->
                                channel.call(
                                        asked(Remark.getDefaultInstance()),
                                        Remark.newBuilder().setNumber(1).build()));

        assertThat(thrown.code()).isEqualTo(RpcError.EREQUEST.code());
        assertThat(thrown.text()).contains("the request cannot be parsed").contains("text");
    }

    /** {@return the method, as a client with another idea of its request sees it} */
    private static <Q extends Message> RpcMethod<Q, Answer> asked(Q request) {
        return RpcMethod.of(
                ProbeService.Methods.ASK.descriptor(), request, Answer.getDefaultInstance());
    }
}
