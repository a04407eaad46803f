// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Message;
import io.verbena.rpc.spi.ClientStream;
import io.verbena.rpc.spi.MessageSink;
import io.verbena.rpc.spi.MessageSource;
import io.verbena.rpc.test.EchoRequest;
import io.verbena.rpc.test.EchoResponse;
import io.verbena.testing.Thrown;
import io.verbena.transport.Connection;
import io.verbena.transport.SocketMode;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Calls with streams over a protocol that throws, and behind an interceptor that takes its time.
 */
class ClientExchangeTest {
    private final RpcFixture fixture = new RpcFixture(SocketMode.TCP);
    private final StreamTimer timer = new StreamTimer();
    private final AtomicInteger ends = new AtomicInteger();

    /** What a protocol is asked for at the end of a call. */
    enum Place {
        FIELDS,
        CONNECTION,
        CANCEL
    }

    @AfterEach
    void close() {
        timer.stop();
        fixture.close();
    }

    static Stream<Arguments> faults() {
        return Stream.of(Place.values())
                .flatMap(
                        place ->
                                Stream.of(Thrown.values())
                                        .map(thrown -> Arguments.of(place, thrown)));
    }

    /** A stream that moves nothing, and throws at its end. */
    private record Faulty(Place place, Thrown thrown) implements ClientStream {
        private void raiseAt(Place here) {
            if (place == here) {
                thrown.raise();
            }
        }

        @Override
        public MessageSink requests() {
            throw new UnsupportedOperationException();
        }

        @Override
        public MessageSource responses() {
            return new MessageSource() {
                @Override
                public <M extends Message> M poll(M prototype) {
                    return null;
                }

                @Override
                public boolean isEnded() {
                    return false;
                }

                @Override
                public void close() {}
            };
        }

        @Override
        public Map<String, String> responseUserFields() {
            raiseAt(Place.FIELDS);
            return Map.of();
        }

        @Override
        public Optional<Connection> connection() {
            raiseAt(Place.CONNECTION);
            return Optional.empty();
        }

        @Override
        public void cancel(int code) {
            raiseAt(Place.CANCEL);
        }
    }

    /** Counts the ends that it hears of. */
    private final class Counting implements ClientInterceptor {
        @Override
        public void intercept(
                MethodDescriptor method, Message request, ClientCall call, CallChain next) {
            next.proceed(request);
        }

        @Override
        public void onEnd(MethodDescriptor method, ClientCall call) {
            ends.incrementAndGet();
        }
    }

    private ClientExchange<EchoRequest, EchoResponse> exchange(
            ClientController call,
            ServerSelector servers,
            ClientInterceptor interceptor,
            ClientExchange.Starter starter) {
        ChannelOptions options = RpcFixture.PATIENT.withInterceptors(interceptor);
        return new ClientExchange<>(
                EchoCalls.ECHO, call, false, new CallSettings(options, servers), starter);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void shouldTellItsEndThoughTheProtocolThrows(Place place, Thrown thrown) {
        ServerSelector nobody =
                fixture.clientSide.node.singleServer("127.0.0.1:1", RpcFixture.PATIENT);
        ClientController call = fixture.closing(fixture.clientSide.node.controller());
        ClientExchange<EchoRequest, EchoResponse> exchange =
                exchange(
                        call,
                        nobody,
                        new Counting(),
                        (started, request) -> new Faulty(place, thrown));
        exchange.begin(EchoCalls.request("x"), timer);

        exchange.onOver(RpcError.ELIMIT.code(), "[E2004]as told");

        RpcFixture.eventually(() -> ends.get() > 0, () -> "never told");
        assertThat(call.errorCode()).isEqualTo(RpcError.ELIMIT.code());
        assertThat(ends).hasValue(1);
        nobody.close();
    }

    /** Passes the call on when the test says so. */
    private final class Late implements ClientInterceptor {
        private Runnable passing = () -> {};

        @Override
        public void intercept(
                MethodDescriptor method, Message request, ClientCall call, CallChain next) {
            passing = () -> next.proceed(request);
        }

        @Override
        public void onEnd(MethodDescriptor method, ClientCall call) {
            assertThat(call.errorCode()).isEqualTo(RpcError.ECANCELED.code());
            ends.incrementAndGet();
        }
    }

    /** The deadline, or another thread, may end a call that an interceptor still has. */
    @Test
    void shouldTellItsEndToAnInterceptorThatPassesItOnAfterThat() {
        AtomicInteger starts = new AtomicInteger();
        Late late = new Late();
        ServerSelector nobody =
                fixture.clientSide.node.singleServer("127.0.0.1:1", RpcFixture.PATIENT);
        ClientController call = fixture.closing(fixture.clientSide.node.controller());
        ClientExchange<EchoRequest, EchoResponse> exchange =
                exchange(
                        call,
                        nobody,
                        late,
                        (started, request) -> {
                            starts.incrementAndGet();
                            return new Faulty(Place.CANCEL, Thrown.UNCHECKED);
                        });
        exchange.begin(EchoCalls.request("x"), timer);
        call.startCancel();
        assertThat(ends).hasValue(0);

        late.passing.run();

        RpcFixture.eventually(() -> ends.get() > 0, () -> "never told");
        assertThat(ends).hasValue(1);
        assertThat(starts).hasValue(0);
        nobody.close();
    }
}
