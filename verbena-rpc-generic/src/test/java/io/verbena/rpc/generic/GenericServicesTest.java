// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.generic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.RpcCallback;
import com.google.protobuf.RpcController;
import com.google.protobuf.ServiceException;
import io.verbena.rpc.ClientCall;
import io.verbena.rpc.RpcError;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.RpcService;
import io.verbena.rpc.generic.test.Echo;
import io.verbena.rpc.generic.test.EchoServiceClient;
import io.verbena.rpc.generic.test.Other;
import io.verbena.rpc.generic.test.Saying;
import io.verbena.transport.SocketMode;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Generic services behind the clients of {@code verbena-protoc}. */
class GenericServicesTest {
    private GenericFixture fixture;

    @AfterEach
    void close() {
        if (fixture != null) {
            fixture.close();
        }
    }

    private EchoServiceClient client(RpcService service) {
        return client(SocketMode.TCP, service);
    }

    private EchoServiceClient client(SocketMode mode, RpcService service) {
        fixture = new GenericFixture(mode, service);
        return new EchoServiceClient(fixture.channel);
    }

    private static RpcException failureOf(EchoServiceClient client) {
        return catchThrowableOfType(
                RpcException.class, () -> client.say(Saying.getDefaultInstance()));
    }

    /** A service whose method does something else. */
    private interface Method {
        void run(GenericServerController controller, Saying request, RpcCallback<Echo> done)
                throws Exception;
    }

    private static RpcService service(Method method) {
        return GenericServices.of(
                new Echoing() {
                    @Override
                    public void say(
                            RpcController controller, Saying request, RpcCallback<Echo> done) {
                        try {
                            method.run((GenericServerController) controller, request, done);
                        } catch (RuntimeException e) {
                            throw e;
                        } catch (Exception e) {
                            throw new IllegalStateException(e);
                        }
                    }
                });
    }

    @ParameterizedTest
    @EnumSource(SocketMode.class)
    void shouldAnswerNewClients(SocketMode mode) {
        EchoServiceClient client = client(mode, GenericServices.of(new Echoing()));
        try (ClientCall call = fixture.channel.newCall()) {
            call.requestAttachment().append(new byte[] {1, 2, 3});

            assertThat(client.say(Echoing.saying("a"), call).getText()).isEqualTo("a");

            assertThat(call.responseAttachment().size()).isEqualTo(3);
            assertThat(call.isRdma()).isEqualTo(mode == SocketMode.RDMA);
        }
        assertThat(client.sayInline(Echoing.saying("b")).getText()).isEqualTo("b");
    }

    @ParameterizedTest
    @EnumSource(SocketMode.class)
    void shouldAnswerWithABlockingService(SocketMode mode) {
        EchoServiceClient client =
                client(
                        mode,
                        GenericServices.of(
                                GenericEcho.newReflectiveBlockingService(
                                        (controller, request) -> Echoing.echo(request))));

        assertThat(client.say(Echoing.saying("a")).getText()).isEqualTo("a");
    }

    @Test
    void shouldSendTheAnswerBeforeTheMethodReturns() throws Exception {
        CountDownLatch received = new CountDownLatch(1);
        CompletableFuture<Boolean> wasReceived = new CompletableFuture<>();
        EchoServiceClient client =
                client(
                        service(
                                (controller, request, done) -> {
                                    done.run(Echo.getDefaultInstance());
                                    wasReceived.complete(received.await(20, TimeUnit.SECONDS));
                                }));

        client.say(Saying.getDefaultInstance());
        received.countDown();

        assertThat(wasReceived.get(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void shouldAnswerLaterOnAnotherThread() {
        EchoServiceClient client =
                client(
                        service(
                                (controller, request, done) ->
                                        Thread.ofVirtual()
                                                .name("test-answer")
                                                .start(() -> done.run(Echoing.echo(request)))));

        assertThat(client.say(Echoing.saying("late")).getText()).isEqualTo("late");
    }

    @Test
    void shouldFailWithTheCodeOfTheController() {
        EchoServiceClient client =
                client(
                        service(
                                (controller, request, done) -> {
                                    controller.setFailed(4711, "no");
                                    assertThat(controller.failed()).isTrue();
                                    assertThat(controller.errorText()).isEqualTo("no");
                                    done.run(null);
                                }));

        RpcException failure = failureOf(client);

        assertThat(failure.code()).isEqualTo(4711);
        assertThat(failure.text()).endsWith("no");
    }

    @Test
    void shouldFailWithEinternalIfTheServiceGivesNoCode() {
        EchoServiceClient client =
                client(
                        service(
                                (controller, request, done) -> {
                                    controller.setFailed("no");
                                    done.run(Echo.getDefaultInstance());
                                }));

        assertThat(failureOf(client).code()).isEqualTo(RpcError.EINTERNAL.code());
    }

    @Test
    void shouldFailIfTheServiceThrows() {
        EchoServiceClient client =
                client(
                        service(
                                (controller, request, done) -> {
                                    throw new IllegalStateException("ouch");
                                }));

        RpcException failure = failureOf(client);

        assertThat(failure.code()).isEqualTo(RpcError.EINTERNAL.code());
        assertThat(failure.text()).contains("ouch");
    }

    @Test
    void shouldFailIfTheServiceThrowsAnError() {
        EchoServiceClient client =
                client(
                        service(
                                (controller, request, done) -> {
                                    throw new NoClassDefFoundError("missing");
                                }));

        assertThat(failureOf(client).text()).contains("missing");
        assertThat(failureOf(client).code()).isEqualTo(RpcError.EINTERNAL.code());
    }

    @Test
    void shouldFailWithTheCodeOfAnRpcException() {
        EchoServiceClient client =
                client(
                        service(
                                (controller, request, done) -> {
                                    throw new RpcException(4711, "no");
                                }));

        assertThat(failureOf(client).code()).isEqualTo(4711);
    }

    @Test
    void shouldKeepTheAnswerOfAServiceThatThrowsAfterIt() {
        EchoServiceClient client =
                client(
                        service(
                                (controller, request, done) -> {
                                    done.run(Echoing.echo(request));
                                    throw new IllegalStateException("too late");
                                }));

        assertThat(client.say(Echoing.saying("kept")).getText()).isEqualTo("kept");
    }

    @Test
    void shouldFailIfTheAnswerIsNull() {
        EchoServiceClient client = client(service((controller, request, done) -> done.run(null)));

        RpcException failure = failureOf(client);

        assertThat(failure.code()).isEqualTo(RpcError.EINTERNAL.code());
        assertThat(failure.text()).contains("without a response");
    }

    @Test
    void shouldFailIfTheAnswerIsOfAnotherType() {
        EchoServiceClient client =
                client(
                        GenericServices.of(
                                new Echoing() {
                                    @Override
                                    public void callMethod(
                                            MethodDescriptor method,
                                            RpcController controller,
                                            Message request,
                                            RpcCallback<Message> done) {
                                        done.run(Other.getDefaultInstance());
                                    }
                                }));

        RpcException failure = failureOf(client);

        assertThat(failure.code()).isEqualTo(RpcError.EINTERNAL.code());
        assertThat(failure.text()).contains("Other (expected: verbena.rpc.generic.test.Echo)");
    }

    @Test
    void shouldRefuseASecondAnswer() throws Exception {
        CompletableFuture<Throwable> second = new CompletableFuture<>();
        EchoServiceClient client =
                client(
                        service(
                                (controller, request, done) -> {
                                    done.run(Echoing.echo(request));
                                    try {
                                        done.run(Echoing.echo(request));
                                        second.complete(new AssertionError("answered twice"));
                                    } catch (IllegalStateException e) {
                                        second.complete(e);
                                    }
                                }));

        assertThat(client.say(Echoing.saying("x")).getText()).isEqualTo("x");
        assertThat(second.get(20, TimeUnit.SECONDS))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("called twice")
                .hasMessageContaining("EchoService.Say");
    }

    @Test
    void shouldEndACallThatIsNotAnsweredInTime() throws Exception {
        CompletableFuture<RpcCallback<Echo>> unanswered = new CompletableFuture<>();
        fixture =
                new GenericFixture(
                        SocketMode.TCP,
                        service((controller, request, done) -> unanswered.complete(done)),
                        200);

        assertThat(failureOf(new EchoServiceClient(fixture.channel)).code())
                .isEqualTo(RpcError.ERPCTIMEDOUT.code());

        unanswered.get(20, TimeUnit.SECONDS).run(Echo.getDefaultInstance());
    }

    @Test
    void shouldTellAServiceThatItsClientIsGone() throws Exception {
        CompletableFuture<Boolean> wasCanceled = new CompletableFuture<>();
        CountDownLatch running = new CountDownLatch(1);
        EchoServiceClient client =
                client(
                        service(
                                (controller, request, done) -> {
                                    controller.notifyOnCancel(
                                            parameter -> {
                                                wasCanceled.complete(
                                                        parameter == null
                                                                && controller.isCanceled());
                                                done.run(Echo.getDefaultInstance());
                                            });
                                    running.countDown();
                                }));
        CompletableFuture<Echo> answer = client.sayAsync(Saying.getDefaultInstance());
        assertThat(running.await(20, TimeUnit.SECONDS)).isTrue();

        fixture.channel.close();

        assertThat(wasCanceled.get(20, TimeUnit.SECONDS)).isTrue();
        assertThatThrownBy(() -> answer.get(20, TimeUnit.SECONDS))
                .hasCauseInstanceOf(RpcException.class);
    }

    @Test
    void shouldFailAsABlockingServiceSays() {
        EchoServiceClient client =
                client(
                        GenericServices.of(
                                GenericEcho.newReflectiveBlockingService(
                                        (controller, request) -> failing(controller, request))));

        assertThat(failureOf(client, "text").text()).endsWith("only text");
        assertThat(failureOf(client, "text").code()).isEqualTo(RpcError.EINTERNAL.code());
        assertThat(failureOf(client, "cause").code()).isEqualTo(4711);
        assertThat(failureOf(client, "controller").code()).isEqualTo(4712);
        assertThat(failureOf(client, "both").code()).isEqualTo(4713);
        assertThat(failureOf(client, "null").code()).isEqualTo(RpcError.EINTERNAL.code());
        assertThat(failureOf(client, "null").text()).contains("without a response");
    }

    private static RpcException failureOf(EchoServiceClient client, String how) {
        return catchThrowableOfType(RpcException.class, () -> client.say(Echoing.saying(how)));
    }

    private static Echo failing(RpcController controller, Saying request) throws ServiceException {
        GenericServerController own = (GenericServerController) controller;
        switch (request.getText()) {
            case "text" -> throw new ServiceException("only text");
            case "cause" -> throw new ServiceException("x", new RpcException(4711, "cause"));
            case "controller" -> own.setFailed(4712, "controller");
            case "both" -> {
                own.setFailed(4713, "both");
                throw new ServiceException("x");
            }
            default -> {
                return null;
            }
        }
        return Echo.getDefaultInstance();
    }

    @Test
    void shouldLeaveOutMethodsWithStreams() {
        RpcService service = GenericServices.of(new Echoing());

        assertThat(service.definition().methodNames())
                .containsExactlyInAnyOrder(
                        "verbena.rpc.generic.test.EchoService.Say",
                        "verbena.rpc.generic.test.EchoService.SayInline");
    }

    @Test
    void shouldRefuseWhatOnlyClientsDo() throws Exception {
        CompletableFuture<GenericServerController> controller = new CompletableFuture<>();
        EchoServiceClient client =
                client(
                        service(
                                (own, request, done) -> {
                                    controller.complete(own);
                                    done.run(Echo.getDefaultInstance());
                                }));
        client.say(Saying.getDefaultInstance());
        GenericServerController own = controller.get(20, TimeUnit.SECONDS);

        assertThatThrownBy(own::startCancel).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(own::reset).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> GenericServices.call(null))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
