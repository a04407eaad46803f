// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Message;
import io.verbena.rpc.CallChain;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.ClientCall;
import io.verbena.rpc.ClientInterceptor;
import io.verbena.rpc.RetryPolicy;
import io.verbena.rpc.RpcError;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.RpcMethod;
import io.verbena.testing.Eventually;
import io.verbena.testing.Thrown;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Throws everything at every call into foreign code of a channel: the call that was hit gets
 * EINTERNAL with the reason, the one beside it and the next one their answers.
 */
public abstract class ClientFaultsConformance {
    /** A code that the retry policy is asked about. */
    protected static final int BUSY = 4711;

    /** Where foreign code is called. */
    protected enum ClientPlace {
        /** Before the call. */
        INTERCEPTOR,
        /** After the call. */
        INTERCEPTOR_END,
        /** The request, when it is encoded. */
        REQUEST_ENCODER,
        /** The parser of responses. */
        RESPONSE_PARSER,
        /** Whether to retry. */
        RETRY_POLICY,
        /** When to retry. */
        BACKOFF
    }

    private final AtomicBoolean isArmed = new AtomicBoolean();

    /** For a protocol. */
    protected ClientFaultsConformance() {}

    /** {@return a server and clients of the protocol} */
    protected abstract FaultyEcho open();

    static Stream<Arguments> faults() {
        return Stream.of(ClientPlace.values())
                .flatMap(
                        place ->
                                Stream.of(Thrown.values())
                                        .map(thrown -> Arguments.of(place, thrown)));
    }

    @ParameterizedTest
    @MethodSource("io.verbena.rpc.testing.ClientFaultsConformance#faults")
    void shouldFailOnlyTheCallThatWasHit(ClientPlace place, Thrown thrown) throws Exception {
        try (FaultyEcho echo = open()) {
            Faults faults = new Faults(echo, place, thrown);
            Channel channel =
                    echo.channel(
                            ChannelOptions.DEFAULT
                                    .withRetryPolicy(faults)
                                    .withInterceptors(faults));
            CompletableFuture<? extends Message> beside = echo.hold(channel);
            isArmed.set(true);

            RpcException failure =
                    catchThrowableOfType(
                            RpcException.class,
                            () -> channel.call(faults.method(), faults.request()));

            Eventually.become(() -> !isArmed.get(), () -> "nothing was thrown");
            if (place == ClientPlace.INTERCEPTOR_END) {
                assertThat(failure).isNull();
            } else {
                assertThat(failure).isNotNull();
                assertThat(failure.code()).isEqualTo(RpcError.EINTERNAL.code());
                assertThat(failure.text()).contains(faults.trace());
            }
            Message next = channel.call(faults.method(echo.response()), echo.request("next", 0));
            assertThat(next.toString()).contains("next");
            echo.release();
            assertThat(beside.get(20, TimeUnit.SECONDS).toString()).contains("hold");
            echo.checkServer();
        }
    }

    /** Passes calls on with a user field that cannot be sent. */
    private static final class Careless implements ClientInterceptor {
        @Override
        public void intercept(
                MethodDescriptor method, Message request, ClientCall call, CallChain next) {
            call.requestUserFields().put("trace", null);
            next.proceed(request);
        }
    }

    @Test
    void shouldFailACallThatCannotBegin() {
        try (FaultyEcho echo = open()) {
            Channel channel = echo.channel(ChannelOptions.DEFAULT.withInterceptors(new Careless()));
            RpcMethod<Message, Message> method =
                    RpcMethod.of(
                            echo.method(),
                            echo.request("", 0).getDefaultInstanceForType(),
                            echo.response());

            ExecutionException failure =
                    catchThrowableOfType(
                            ExecutionException.class,
                            () ->
                                    channel.callAsync(method, echo.request("x", 0))
                                            .get(20, TimeUnit.SECONDS));

            assertThat(failure)
                    .cause()
                    .isInstanceOfSatisfying(
                            RpcException.class,
                            e -> assertThat(e.code()).isEqualTo(RpcError.EINTERNAL.code()));
        }
    }

    /** All foreign code there is; one place of it throws once. */
    private final class Faults implements ClientInterceptor, RetryPolicy {
        private final FaultyEcho echo;
        private final ClientPlace place;
        private final Thrown thrown;

        Faults(FaultyEcho echo, ClientPlace place, Thrown thrown) {
            this.echo = echo;
            this.place = place;
            this.thrown = thrown;
        }

        private boolean isDue() {
            return isArmed.getAndSet(false);
        }

        private void raiseAt(ClientPlace here) {
            if (place == here && isDue()) {
                thrown.raise();
            }
        }

        /** A proxy wraps what its interface does not declare; writing declares it. */
        String trace() {
            boolean isWrapped =
                    place == ClientPlace.RESPONSE_PARSER
                            || place == ClientPlace.REQUEST_ENCODER
                                    && !echo.encoderMethod().equals("writeTo");
            return isWrapped && thrown == Thrown.CHECKED
                    ? "UndeclaredThrowableException"
                    : thrown.trace();
        }

        RpcMethod<Message, Message> method() {
            return method(
                    place == ClientPlace.RESPONSE_PARSER
                            ? thrown.in(
                                    Message.class,
                                    echo.response(),
                                    this::isDue,
                                    echo.parserMethods())
                            : echo.response());
        }

        RpcMethod<Message, Message> method(Message response) {
            return RpcMethod.of(
                    echo.method(), echo.request("", 0).getDefaultInstanceForType(), response);
        }

        Message request() {
            boolean isRetried = place == ClientPlace.RETRY_POLICY || place == ClientPlace.BACKOFF;
            Message request = echo.request("x", isRetried ? BUSY : 0);
            return place == ClientPlace.REQUEST_ENCODER
                    ? thrown.in(Message.class, request, this::isDue, echo.encoderMethod())
                    : request;
        }

        @Override
        public void intercept(
                MethodDescriptor method, Message request, ClientCall call, CallChain next) {
            raiseAt(ClientPlace.INTERCEPTOR);
            next.proceed(request);
        }

        @Override
        public void onEnd(MethodDescriptor method, ClientCall call) {
            raiseAt(ClientPlace.INTERCEPTOR_END);
        }

        @Override
        public boolean isRetried(int code) {
            raiseAt(ClientPlace.RETRY_POLICY);
            return code == BUSY;
        }

        @Override
        public long backoffNs(int retries) {
            raiseAt(ClientPlace.BACKOFF);
            return 0;
        }
    }
}
