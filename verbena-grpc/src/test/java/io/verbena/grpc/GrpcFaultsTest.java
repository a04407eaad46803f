// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.Message;
import io.verbena.grpc.test.EchoRequest;
import io.verbena.grpc.test.EchoResponse;
import io.verbena.grpc.test.EchoService;
import io.verbena.rpc.Call;
import io.verbena.rpc.CallChain;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.ClientStreamCall;
import io.verbena.rpc.NonBlocking;
import io.verbena.rpc.RpcError;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.RpcMethod;
import io.verbena.rpc.RpcService;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerInterceptor;
import io.verbena.rpc.ServerOptions;
import io.verbena.rpc.ServiceDefinition;
import io.verbena.rpc.StreamReader;
import io.verbena.rpc.StreamWriter;
import io.verbena.testing.Eventually;
import io.verbena.testing.Thrown;
import io.verbena.transport.SocketMode;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Throws everything at every call into foreign code of a gRPC server, and at what only streams
 * call: the call that was hit gets EINTERNAL with the reason, and the call beside it on the same
 * connection gets its answer.
 */
class GrpcFaultsTest {
    private static final EchoRequest ANY = EchoRequest.getDefaultInstance();
    private static final EchoResponse NOTHING = EchoResponse.getDefaultInstance();

    /** Where foreign code is called. */
    enum Place {
        SERVICE,
        INLINE_SERVICE,
        INTERCEPTOR,
        SERVER_INTERCEPTOR,
        SERVER_INTERCEPTOR_END,
        REQUEST_PARSER,
        RESPONSE_ENCODER,
        STREAM_ENCODER,
        LAST_RESPONSE_ENCODER,
        STREAM_PARSER
    }

    private final GrpcFixture fixture = new GrpcFixture(SocketMode.TCP);
    private final AtomicBoolean isArmed = new AtomicBoolean();
    private final CountDownLatch entered = new CountDownLatch(1);
    private final CountDownLatch release = new CountDownLatch(1);

    @AfterEach
    void close() {
        release.countDown();
        fixture.close();
    }

    static Stream<Arguments> faults() {
        return Stream.of(Place.values())
                .flatMap(
                        place ->
                                Stream.of(Thrown.values())
                                        .map(thrown -> Arguments.of(place, thrown)));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void shouldFailOnlyTheCallThatWasHit(Place place, Thrown thrown) throws Exception {
        Faults faults = new Faults(place, thrown);
        Server server =
                fixture.server(
                        faults,
                        ServerOptions.DEFAULT
                                .withInterceptor(_ -> faults.accept())
                                .withInterceptors(faults));
        Channel channel = fixture.channel(server.address().getPort(), ChannelOptions.DEFAULT);
        CompletableFuture<Message> beside = channel.callAsync(faults.echo(), text("hold"));
        assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();
        isArmed.set(true);

        RpcException failure = catchThrowableOfType(RpcException.class, () -> faults.hit(channel));

        // a server may notice the end of a call after its client
        Eventually.become(() -> !isArmed.get(), () -> "nothing was thrown");
        if (place == Place.SERVER_INTERCEPTOR_END) {
            assertThat(failure).isNull();
        } else {
            assertThat(failure).isNotNull();
            assertThat(failure.code()).isEqualTo(RpcError.EINTERNAL.code());
            assertThat(failure.text()).contains(faults.trace());
        }
        assertThat(channel.call(faults.echo(), text("after")).toString()).contains("after");
        release.countDown();
        assertThat(beside.get(20, TimeUnit.SECONDS).toString()).contains("hold");
        assertThat(server.connections()).hasSize(1);
        Eventually.become(() -> server.concurrency() == 0, () -> "calls of the server");
    }

    private static EchoRequest text(String message) {
        return EchoRequest.newBuilder().setMessage(message).build();
    }

    /** All foreign code there is; one place of it throws once. */
    private final class Faults implements RpcService, ServerInterceptor {
        private final Place place;
        private final Thrown thrown;

        Faults(Place place, Thrown thrown) {
            this.place = place;
            this.thrown = thrown;
        }

        private boolean isDue() {
            return isArmed.getAndSet(false);
        }

        private void raiseAt(Place here) {
            if (place == here && isDue()) {
                thrown.raise();
            }
        }

        /** A proxy wraps what its interface does not declare. */
        String trace() {
            boolean isWrapped = place == Place.REQUEST_PARSER || place == Place.STREAM_PARSER;
            return isWrapped && thrown == Thrown.CHECKED
                    ? "UndeclaredThrowableException"
                    : thrown.trace();
        }

        private <M extends Message> Message parsed(M prototype, Place here) {
            return place == here
                    ? thrown.in(Message.class, prototype, this::isDue, "getParserForType")
                    : prototype;
        }

        private Message written(Message message, Place here) {
            return place == here
                    ? thrown.in(Message.class, message, this::isDue, "writeTo")
                    : message;
        }

        RpcMethod<Message, Message> echo() {
            return RpcMethod.of(
                    EchoService.Methods.ECHO.descriptor(),
                    parsed(ANY, Place.REQUEST_PARSER),
                    NOTHING);
        }

        private RpcMethod<Message, Message> repeat() {
            return RpcMethod.of(
                    EchoService.Methods.REPEAT.descriptor(),
                    ANY,
                    parsed(NOTHING, Place.STREAM_PARSER));
        }

        private RpcMethod<Message, Message> collect() {
            return RpcMethod.of(EchoService.Methods.COLLECT.descriptor(), ANY, NOTHING);
        }

        /** Makes the call that is hit. */
        Object hit(Channel channel) {
            return switch (place) {
                case INLINE_SERVICE -> channel.call(EchoService.Methods.ECHO_INLINE, text("boom"));
                case STREAM_ENCODER, STREAM_PARSER -> {
                    try (StreamReader<Message> responses =
                            channel.serverStream(repeat(), text("boom"))) {
                        yield responses.next();
                    }
                }
                case LAST_RESPONSE_ENCODER -> {
                    try (ClientStreamCall<Message, Message> call =
                            channel.clientStream(collect())) {
                        yield call.finish();
                    }
                }
                default -> channel.call(echo(), text("boom"));
            };
        }

        boolean accept() {
            raiseAt(Place.INTERCEPTOR);
            return true;
        }

        @Override
        public ServiceDefinition definition() {
            return ServiceDefinition.of(EchoService.Methods.SERVICE, this)
                    .unary(echo(), this::echo)
                    .unary(EchoService.Methods.ECHO_INLINE, this::echoInline)
                    .serverStream(repeat(), this::repeat)
                    .clientStream(collect(), this::collect)
                    .build();
        }

        private Message echo(Call call, Message request) {
            String message = ((EchoRequest) request).getMessage();
            if (message.equals("hold")) {
                entered.countDown();
                try {
                    release.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            } else if (message.equals("boom")) {
                raiseAt(Place.SERVICE);
            }
            return written(
                    EchoResponse.newBuilder().setMessage(message).build(), Place.RESPONSE_ENCODER);
        }

        @NonBlocking
        @SuppressWarnings("EffectivelyPrivate") // found by reflection
        public EchoResponse echoInline(Call call, EchoRequest request) {
            raiseAt(Place.INLINE_SERVICE);
            return EchoResponse.newBuilder().setMessage(request.getMessage()).build();
        }

        private void repeat(Call call, Message request, StreamWriter<Message> responses) {
            responses.write(written(NOTHING, Place.STREAM_ENCODER));
        }

        private Message collect(Call call, StreamReader<Message> requests) {
            while (requests.hasNext()) {
                Message _ = requests.next();
            }
            return written(NOTHING, Place.LAST_RESPONSE_ENCODER);
        }

        @Override
        public void intercept(Call call, Message request, CallChain next) {
            raiseAt(Place.SERVER_INTERCEPTOR);
            next.proceed(request);
        }

        @Override
        public void onEnd(Call call) {
            raiseAt(Place.SERVER_INTERCEPTOR_END);
        }
    }
}
