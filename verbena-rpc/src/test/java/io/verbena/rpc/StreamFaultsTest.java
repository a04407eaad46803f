// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Message;
import io.verbena.protoc.test.streams.Chunk;
import io.verbena.protoc.test.streams.StreamService;
import io.verbena.testing.Thrown;
import io.verbena.transport.SocketMode;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Throws everything where calls with streams run foreign code: the call that was hit gets EINTERNAL
 * with the reason, and the call beside it on the same connection gets its answer.
 */
class StreamFaultsTest {
    private final RpcFixture fixture = new RpcFixture(SocketMode.TCP);
    private final CountDownLatch entered = new CountDownLatch(1);
    private final CountDownLatch release = new CountDownLatch(1);

    @AfterEach
    void close() {
        release.countDown();
        fixture.close();
    }

    /** {@return a method whose messages may be of any class} */
    private static RpcMethod<Message, Message> open(RpcMethod<Chunk, Chunk> method) {
        return RpcMethod.of(
                method.descriptor(), method.requestPrototype(), method.responsePrototype());
    }

    private static final RpcMethod<Message, Message> ONE = open(StreamService.Methods.ONE);
    private static final RpcMethod<Message, Message> UP = open(StreamService.Methods.UP);
    private static final RpcMethod<Message, Message> DOWN = open(StreamService.Methods.DOWN);

    /** Answers with messages that throw when they are written. */
    private final class Faulty implements RpcService {
        private final Thrown thrown;

        Faulty(Thrown thrown) {
            this.thrown = thrown;
        }

        @Override
        public ServiceDefinition definition() {
            return ServiceDefinition.of(StreamService.Methods.SERVICE, this)
                    .unary(ONE, this::one)
                    .clientStream(UP, (call, requests) -> faulty())
                    .serverStream(DOWN, (call, request, responses) -> responses.write(faulty()))
                    .build();
        }

        private Message faulty() {
            return new FaultyMessage(Chunks.of("x"), thrown);
        }

        private Message one(Call call, Message request) throws InterruptedException {
            if (call.offeredStreams() > 0) {
                ByteStream _ = call.acceptStream(ByteStreamOptions.DEFAULT);
            } else if (Chunks.text((Chunk) request).equals("hold")) {
                entered.countDown();
                release.await();
            }
            return request;
        }
    }

    /** What a test does with the channel. */
    private interface Hit {
        void on(Channel channel) throws Exception;
    }

    private void assertThatOnlyThisCallIsHit(Thrown thrown, Hit hit) throws Exception {
        Server server =
                fixture.closing(
                        new Server(fixture.serverSide.node)
                                .add(new Faulty(thrown))
                                .start(RpcFixture.anyPort(), ServerOptions.DEFAULT));
        Channel channel = fixture.channel(server, RpcFixture.PATIENT);
        try (ClientController controller = channel.controller()) {
            CompletableFuture<Message> beside =
                    channel.callAsync(ONE, Chunks.of("hold"), controller);
            assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();

            hit.on(channel);

            assertThat(channel.call(ONE, Chunks.of("after"))).isEqualTo(Chunks.of("after"));
            release.countDown();
            assertThat(beside.get(20, TimeUnit.SECONDS)).isEqualTo(Chunks.of("hold"));
            assertThat(controller.retriedCount()).isZero();
        }
        RpcNode node = fixture.clientSide.node;
        RpcFixture.eventually(() -> server.concurrency() == 0, () -> "calls of the server");
        RpcFixture.eventually(() -> node.callsUnderWay() == 0, () -> "calls of the client");
    }

    private static void assertThatItFails(Thrown thrown, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        RpcException.class,
                        e -> {
                            assertThat(e.code()).isEqualTo(RpcError.EINTERNAL.code());
                            assertThat(e.text()).contains(thrown.trace());
                        });
    }

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldSurviveTheOnlyResponseOfACallWithManyRequests(Thrown thrown) throws Exception {
        assertThatOnlyThisCallIsHit(
                thrown,
                channel -> {
                    try (ClientStreamCall<Message, Message> call = channel.clientStream(UP)) {
                        assertThatItFails(thrown, call::finish);
                    }
                });
    }

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldSurviveOneOfManyResponses(Thrown thrown) throws Exception {
        assertThatOnlyThisCallIsHit(
                thrown,
                channel -> {
                    try (StreamReader<Message> responses =
                            channel.serverStream(DOWN, Chunks.of(1))) {
                        assertThatItFails(thrown, responses::next);
                    }
                });
    }

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldThrowTheFaultOfOneOfManyRequestsWhereItIsWritten(Thrown thrown) throws Exception {
        assertThatOnlyThisCallIsHit(
                thrown,
                channel -> {
                    try (ClientStreamCall<Message, Message> call = channel.clientStream(UP)) {
                        assertThatThrownBy(
                                        () ->
                                                call.requests()
                                                        .write(
                                                                new FaultyMessage(
                                                                        Chunks.of("x"), thrown)))
                                .isNotNull();
                    }
                });
    }

    /** Throws when its stream is connected: when its call is answered. */
    private record FaultyWatcher(Thrown thrown) implements StreamWatcher {
        @Override
        public void onReadable() {}

        @Override
        public void onWritable() {
            thrown.raise();
        }

        @Override
        public void onEnded(Optional<RpcException> failure) {
            thrown.raise();
        }
    }

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldEndACallWhoseStreamsCannotBeConnected(Thrown thrown) throws Exception {
        assertThatOnlyThisCallIsHit(
                thrown,
                channel -> {
                    try (ClientController controller = channel.controller()) {
                        RequestStreams streams = new RequestStreams();
                        var _ = streams.add(ByteStreamOptions.DEFAULT, new FaultyWatcher(thrown));
                        controller.streams(streams);

                        CompletableFuture<Message> call =
                                channel.callAsync(ONE, Chunks.of("x"), controller);

                        assertThatThrownBy(() -> call.get(20, TimeUnit.SECONDS))
                                .hasCauseInstanceOf(RpcException.class)
                                .hasMessageContaining(thrown.trace());
                        assertThat(controller.errorCode()).isEqualTo(RpcError.EINTERNAL.code());
                    }
                });
    }
}
