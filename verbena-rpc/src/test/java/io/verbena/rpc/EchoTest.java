// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import io.verbena.rpc.test.EchoRequest;
import io.verbena.rpc.test.EchoResponse;
import io.verbena.rpc.test.EchoServiceClient;
import io.verbena.rpc.test.probe.ProbeServiceClient;
import io.verbena.transport.SocketMode;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class EchoTest {
    private static EchoRequest request(String message) {
        return EchoRequest.newBuilder().setMessage(message).build();
    }

    private static Channel channel(RpcFixture fixture, SocketMode mode) {
        Server server = fixture.server(ServerOptions.DEFAULT.withSocketMode(mode));
        return fixture.channel(server, RpcFixture.PATIENT.withSocketMode(mode));
    }

    @ParameterizedTest
    @EnumSource(SocketMode.class)
    void shouldAnswerABlockingCall(SocketMode mode) throws Exception {
        try (RpcFixture fixture = new RpcFixture(mode)) {
            Channel channel = channel(fixture, mode);
            EchoServiceClient client = new EchoServiceClient(channel);

            for (int i = 0; i < 100; i++) {
                try (ClientController controller = channel.controller()) {
                    assertThat(client.echo(request("hello " + i), controller).getMessage())
                            .isEqualTo("hello " + i);
                    assertThat(client.echoInline(request("inline " + i), controller).getMessage())
                            .isEqualTo("inline " + i);
                    assertThat(controller.failed()).isFalse();
                    assertThat(controller.latencyUs()).isPositive();
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(SocketMode.class)
    void shouldCarryMessagesAndAttachmentsOfManySizes(SocketMode mode) throws Exception {
        try (RpcFixture fixture = new RpcFixture(mode)) {
            Channel channel = channel(fixture, mode);
            EchoServiceClient client = new EchoServiceClient(channel);
            Random random = new Random(1);

            for (int size = 1; size < 3 << 20; size = size * 3 + 1) {
                byte[] bytes = new byte[size];
                random.nextBytes(bytes);
                try (ClientController controller = channel.controller()) {
                    controller.requestAttachment().append(bytes);
                    EchoResponse answer =
                            client.echo(
                                    EchoRequest.newBuilder()
                                            .setMessage("x")
                                            .setData(ByteString.copyFrom(bytes))
                                            .build(),
                                    controller);
                    assertThat(answer.getData().toByteArray()).isEqualTo(bytes);
                    assertThat(controller.responseAttachment().toByteArray()).isEqualTo(bytes);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(SocketMode.class)
    void shouldTellTheClientWhatTheServiceSays(SocketMode mode) throws Exception {
        try (RpcFixture fixture = new RpcFixture(mode)) {
            Channel channel = channel(fixture, mode);
            EchoServiceClient client = new EchoServiceClient(channel);

            try (ClientController controller = channel.controller()) {
                RpcException thrown =
                        catchThrowableOfType(
                                RpcException.class,
                                () ->
                                        client.echo(
                                                request("x").toBuilder().setFailWith(4711).build(),
                                                controller));

                assertThat(thrown.code()).isEqualTo(4711);
                assertThat(controller.errorCode()).isEqualTo(4711);
                assertThat(controller.errorText())
                        .startsWith("[E4711][127.0.0.1:")
                        .endsWith("[E4711]as you wish");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(SocketMode.class)
    void shouldEndACallAtItsDeadline(SocketMode mode) throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        try (RpcFixture fixture = new RpcFixture(mode)) {
            Server server =
                    fixture.closing(
                            new Server(fixture.serverSide.node)
                                    .add(
                                            Probes.service(
                                                    (call, question) -> {
                                                        release.await();
                                                        return Probes.answer("too late");
                                                    }))
                                    .start(
                                            RpcFixture.anyPort(),
                                            ServerOptions.DEFAULT.withSocketMode(mode)));
            Channel channel = fixture.channel(server, RpcFixture.PATIENT.withSocketMode(mode));
            ProbeServiceClient client = new ProbeServiceClient(channel);

            try (ClientController controller = channel.controller()) {
                controller.setTimeoutMs(50);
                long start = System.nanoTime();
                RpcException thrown =
                        catchThrowableOfType(
                                RpcException.class,
                                () -> client.ask(Probes.question("x"), controller));
                long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);

                assertThat(thrown).isNotNull();
                assertThat(controller.errorCode()).isEqualTo(RpcError.ERPCTIMEDOUT.code());
                assertThat(tookMs).isBetween(50L, 10_000L);
            } finally {
                release.countDown();
            }
        }
    }
}
