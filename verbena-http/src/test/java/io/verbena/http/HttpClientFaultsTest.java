// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Message;
import io.verbena.http.test.EchoRequest;
import io.verbena.http.test.EchoResponse;
import io.verbena.http.test.EchoService;
import io.verbena.rpc.CallChain;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.ClientCall;
import io.verbena.rpc.ClientInterceptor;
import io.verbena.rpc.RetryPolicy;
import io.verbena.rpc.RpcError;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.RpcMethod;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.testing.Thrown;
import io.verbena.transport.SocketMode;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Throws everything at every call into foreign code of a channel that speaks HTTP: the call that
 * was hit gets EINTERNAL with the reason, and the next one its answer.
 */
class HttpClientFaultsTest {
    private static final int BUSY = 4711;

    /** Where foreign code is called. */
    enum Place {
        INTERCEPTOR,
        INTERCEPTOR_END,
        REQUEST_ENCODER,
        RESPONSE_PARSER,
        RETRY_POLICY,
        BACKOFF
    }

    private final HttpFixture fixture = new HttpFixture(SocketMode.TCP);
    private final AtomicBoolean isArmed = new AtomicBoolean(true);

    @AfterEach
    void close() {
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
    void shouldFailOnlyTheCallThatWasHit(Place place, Thrown thrown) {
        Server server = fixture.server(ServerOptions.DEFAULT);
        Faults faults = new Faults(place, thrown);
        Channel channel =
                fixture.httpChannel(
                        server,
                        ChannelOptions.DEFAULT.withRetryPolicy(faults).withInterceptors(faults));

        RpcException failure =
                catchThrowableOfType(
                        RpcException.class, () -> channel.call(faults.method(), faults.request()));

        assertThat(isArmed).as("nothing was thrown").isFalse();
        if (place == Place.INTERCEPTOR_END) {
            assertThat(failure).isNull();
        } else {
            assertThat(failure).isNotNull();
            assertThat(failure.code()).isEqualTo(RpcError.EINTERNAL.code());
            assertThat(failure.text()).contains(faults.trace());
        }
        EchoRequest next = EchoRequest.newBuilder().setMessage("next").build();
        assertThat(channel.call(EchoService.Methods.ECHO, next).getMessage()).isEqualTo("next");
    }

    /** The timer keeps the deadlines of others. */
    @Test
    void shouldNotRetryOnTheTimersThread() {
        Server server = fixture.server(ServerOptions.DEFAULT);
        List<String> threads = new CopyOnWriteArrayList<>();
        AtomicInteger failures = new AtomicInteger();
        // every other failure is followed by a try
        RetryPolicy once = code -> failures.getAndIncrement() % 2 == 0;
        Message request =
                Thrown.UNCHECKED.in(
                        Message.class,
                        EchoRequest.newBuilder().setMessage("x").setFailWith(BUSY).build(),
                        () -> {
                            threads.add(Thread.currentThread().getName());
                            return false;
                        },
                        "getDescriptorForType");
        for (RetryPolicy policy : List.of(once, once.withFixedBackoff(1))) {
            threads.clear();
            Channel channel =
                    fixture.httpChannel(server, ChannelOptions.DEFAULT.withRetryPolicy(policy));
            RpcMethod<Message, Message> method =
                    RpcMethod.of(
                            EchoService.Methods.ECHO.descriptor(),
                            EchoRequest.getDefaultInstance(),
                            EchoResponse.getDefaultInstance());

            assertThatThrownBy(() -> channel.call(method, request))
                    .isInstanceOf(RpcException.class);

            assertThat(threads).doesNotContain("verbena-rpc-stream-timer");
            assertThat(threads).contains("verbena-rpc-worker");
        }
    }

    /** All foreign code there is; one place of it throws once. */
    private final class Faults implements ClientInterceptor, RetryPolicy {
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
            boolean isWrapped = place == Place.REQUEST_ENCODER || place == Place.RESPONSE_PARSER;
            return isWrapped && thrown == Thrown.CHECKED
                    ? "UndeclaredThrowableException"
                    : thrown.trace();
        }

        RpcMethod<Message, Message> method() {
            Message prototype = EchoResponse.getDefaultInstance();
            return RpcMethod.of(
                    EchoService.Methods.ECHO.descriptor(),
                    EchoRequest.getDefaultInstance(),
                    place == Place.RESPONSE_PARSER
                            ? thrown.in(
                                    Message.class,
                                    prototype,
                                    this::isDue,
                                    "newBuilderForType",
                                    "getParserForType")
                            : prototype);
        }

        Message request() {
            boolean isRetried = place == Place.RETRY_POLICY || place == Place.BACKOFF;
            EchoRequest.Builder builder = EchoRequest.newBuilder().setMessage("x");
            Message request = isRetried ? builder.setFailWith(BUSY).build() : builder.build();
            return place == Place.REQUEST_ENCODER
                    ? thrown.in(Message.class, request, this::isDue, "getDescriptorForType")
                    : request;
        }

        @Override
        public void intercept(
                MethodDescriptor method, Message request, ClientCall call, CallChain next) {
            raiseAt(Place.INTERCEPTOR);
            next.proceed(request);
        }

        @Override
        public void onEnd(MethodDescriptor method, ClientCall call) {
            raiseAt(Place.INTERCEPTOR_END);
        }

        @Override
        public boolean isRetried(int code) {
            raiseAt(Place.RETRY_POLICY);
            return code == BUSY;
        }

        @Override
        public long backoffNs(int retries) {
            raiseAt(Place.BACKOFF);
            return 0;
        }
    }
}
