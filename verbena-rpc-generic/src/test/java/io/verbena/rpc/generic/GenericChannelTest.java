// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.generic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import com.google.protobuf.RpcCallback;
import com.google.protobuf.RpcController;
import com.google.protobuf.ServiceException;
import io.verbena.rpc.Call;
import io.verbena.rpc.RpcError;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.RpcService;
import io.verbena.rpc.StreamWriter;
import io.verbena.rpc.generic.test.Echo;
import io.verbena.rpc.generic.test.EchoService;
import io.verbena.rpc.generic.test.Saying;
import io.verbena.transport.SocketMode;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Generic stubs in front of the services of {@code verbena-protoc}. */
class GenericChannelTest {
    private GenericFixture fixture;

    @AfterEach
    void close() {
        if (fixture != null) {
            fixture.close();
        }
    }

    /** Echoes messages and attachments; fails if asked to. */
    private static Echo echo(Call call, Saying request) {
        if (request.getText().equals("fail")) {
            throw new RpcException(4711, "as you wish");
        }
        if (call.hasRequestAttachment()) {
            call.responseAttachment().append(call.requestAttachment());
        }
        return Echoing.echo(request);
    }

    private static RpcService newService() {
        return new EchoService() {
            @Override
            public Echo say(Call call, Saying request) {
                return echo(call, request);
            }

            @Override
            public Echo sayInline(Call call, Saying request) {
                return echo(call, request);
            }

            @Override
            public void repeat(Call call, Saying request, StreamWriter<Echo> responses) {
                responses.write(echo(call, request));
            }
        };
    }

    private GenericEcho.BlockingInterface open(SocketMode mode) {
        fixture = new GenericFixture(mode, newService());
        return GenericEcho.newBlockingStub(fixture.generic);
    }

    @ParameterizedTest
    @EnumSource(SocketMode.class)
    void shouldCallNewServices(SocketMode mode) throws Exception {
        GenericEcho.BlockingInterface stub = open(mode);
        try (GenericClientController controller = fixture.generic.newController()) {
            controller.call().requestAttachment().append(new byte[] {1, 2, 3});

            assertThat(stub.say(controller, Echoing.saying("a")).getText()).isEqualTo("a");

            assertThat(controller.failed()).isFalse();
            assertThat(controller.isCanceled()).isFalse();
            assertThat(controller.errorText()).isEmpty();
            assertThat(controller.call().responseAttachment().size()).isEqualTo(3);
            assertThat(controller.call().isRdma()).isEqualTo(mode == SocketMode.RDMA);
        }
    }

    @ParameterizedTest
    @EnumSource(SocketMode.class)
    void shouldCallGenericServices(SocketMode mode) throws Exception {
        fixture = new GenericFixture(mode, GenericServices.of(new Echoing()));

        Echo echo = GenericEcho.newBlockingStub(fixture.generic).say(null, Echoing.saying("both"));

        assertThat(echo.getText()).isEqualTo("both");
    }

    @ParameterizedTest
    @EnumSource(SocketMode.class)
    void shouldCallBack(SocketMode mode) throws Exception {
        open(mode);
        GenericEcho.Interface stub = GenericEcho.newStub(fixture.generic);
        CompletableFuture<Echo> first = new CompletableFuture<>();
        CompletableFuture<Echo> second = new CompletableFuture<>();
        try (GenericClientController controller = fixture.generic.newController()) {
            stub.say(controller, Echoing.saying("own"), first::complete);
            stub.sayInline(null, Echoing.saying("none"), second::complete);

            assertThat(first.get(20, TimeUnit.SECONDS).getText()).isEqualTo("own");
            assertThat(second.get(20, TimeUnit.SECONDS).getText()).isEqualTo("none");
        }
    }

    @Test
    void shouldTellItsControllerOfAFailure() throws Exception {
        GenericEcho.BlockingInterface stub = open(SocketMode.TCP);
        try (GenericClientController controller = fixture.generic.newController()) {
            ServiceException thrown =
                    catchThrowableOfType(
                            ServiceException.class,
                            () -> stub.say(controller, Echoing.saying("fail")));

            assertThat(thrown).hasMessageEndingWith("as you wish");
            assertThat(thrown.getCause())
                    .isInstanceOfSatisfying(
                            RpcException.class, e -> assertThat(e.code()).isEqualTo(4711));
            assertThat(controller.failed()).isTrue();
            assertThat(controller.errorCode()).isEqualTo(4711);

            controller.reset();

            assertThat(controller.failed()).isFalse();
            assertThat(stub.say(controller, Echoing.saying("x")).getText()).isEqualTo("x");
        }
    }

    @Test
    void shouldGiveAnEmptyResponseToTheCallbackOfAFailedCall() throws Exception {
        open(SocketMode.TCP);
        CompletableFuture<Echo> told = new CompletableFuture<>();
        try (GenericClientController controller = fixture.generic.newController()) {
            GenericEcho.newStub(fixture.generic)
                    .say(controller, Echoing.saying("fail"), told::complete);

            assertThat(told.get(20, TimeUnit.SECONDS)).isEqualTo(Echo.getDefaultInstance());
            assertThat(controller.errorCode()).isEqualTo(4711);
        }
    }

    /** A controller of the program's own, which only keeps what it is told. */
    private static final class OwnController implements RpcController {
        private volatile String failure = "";

        @Override
        public void reset() {
            failure = "";
        }

        @Override
        public boolean failed() {
            return !failure.isEmpty();
        }

        @Override
        public String errorText() {
            return failure;
        }

        @Override
        public void startCancel() {}

        @Override
        public void setFailed(String reason) {
            failure = reason;
        }

        @Override
        public boolean isCanceled() {
            return false;
        }

        @Override
        public void notifyOnCancel(RpcCallback<Object> callback) {}
    }

    @Test
    void shouldTellAControllerOfTheProgramOfAFailure() throws Exception {
        GenericEcho.BlockingInterface stub = open(SocketMode.TCP);
        OwnController blocking = new OwnController();
        OwnController callback = new OwnController();
        CompletableFuture<Boolean> hadFailed = new CompletableFuture<>();

        assertThatThrownBy(() -> stub.say(blocking, Echoing.saying("fail")))
                .isInstanceOf(ServiceException.class);
        GenericEcho.newStub(fixture.generic)
                .say(callback, Echoing.saying("fail"), _ -> hadFailed.complete(callback.failed()));

        assertThat(hadFailed.get(20, TimeUnit.SECONDS)).isTrue();
        assertThat(blocking.errorText()).endsWith("as you wish");
        assertThat(callback.errorText()).endsWith("as you wish");
    }

    @Test
    void shouldCancel() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        fixture =
                new GenericFixture(
                        SocketMode.TCP,
                        GenericServices.of(
                                new Echoing() {
                                    @Override
                                    public void say(
                                            RpcController controller,
                                            Saying request,
                                            RpcCallback<Echo> done) {
                                        running.countDown();
                                        await(released);
                                        done.run(Echo.getDefaultInstance());
                                    }
                                }));
        CompletableFuture<Echo> told = new CompletableFuture<>();
        try (GenericClientController controller = fixture.generic.newController()) {
            GenericEcho.newStub(fixture.generic)
                    .say(controller, Saying.getDefaultInstance(), told::complete);
            assertThat(running.await(20, TimeUnit.SECONDS)).isTrue();

            controller.startCancel();

            assertThat(told.get(20, TimeUnit.SECONDS)).isEqualTo(Echo.getDefaultInstance());
            assertThat(controller.isCanceled()).isTrue();
            assertThat(controller.errorCode()).isEqualTo(RpcError.ECANCELED.code());
        } finally {
            released.countDown();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldReadAnAnswerFieldByField() throws Exception {
        GenericEcho.BlockingInterface stub = open(SocketMode.TCP);
        assertThat(stub.say(null, Echoing.saying("a")).getText()).isEqualTo("a");

        Message answer =
                fixture.generic.callBlockingMethod(
                        EchoService.Methods.SAY.descriptor(),
                        null,
                        DynamicMessage.parseFrom(
                                Saying.getDescriptor(), Echoing.saying("b").toByteString()),
                        DynamicMessage.getDefaultInstance(Echo.getDescriptor()));

        assertThat(answer).isInstanceOf(DynamicMessage.class);
        assertThat(answer.getField(Echo.getDescriptor().findFieldByName("text"))).isEqualTo("b");
        assertThat(stub.say(null, Echoing.saying("c")).getText()).isEqualTo("c");
    }

    @Test
    void shouldSurviveACallbackThatThrows() throws Exception {
        GenericEcho.BlockingInterface stub = open(SocketMode.TCP);
        CountDownLatch called = new CountDownLatch(1);

        GenericEcho.newStub(fixture.generic)
                .say(
                        null,
                        Echoing.saying("x"),
                        _ -> {
                            called.countDown();
                            throw new IllegalStateException("on purpose");
                        });

        assertThat(called.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(stub.say(null, Echoing.saying("after")).getText()).isEqualTo("after");
    }

    @Test
    void shouldRefuseAMethodWithStreams() {
        open(SocketMode.TCP);

        assertThatThrownBy(
                        () ->
                                fixture.generic.callBlockingMethod(
                                        GenericEcho.descriptor().findMethodByName("Repeat"),
                                        null,
                                        Saying.getDefaultInstance(),
                                        Echo.getDefaultInstance()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("SERVER_STREAM (expected: UNARY)");
    }

    @Test
    void shouldRefuseWhatOnlyServersDo() {
        open(SocketMode.TCP);
        try (GenericClientController controller = fixture.generic.newController()) {
            assertThatThrownBy(() -> controller.setFailed("x"))
                    .isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> controller.notifyOnCancel(_ -> {}))
                    .isInstanceOf(IllegalStateException.class);
        }
    }
}
