// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpc.server.ConcurrencyLimiter;
import io.verbena.rpc.server.MethodRegistry;
import io.verbena.rpc.server.ServiceMethod;
import io.verbena.testing.Thrown;
import io.verbena.transport.SocketMode;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A limiter that throws: the call is answered all the same, and nothing counts it afterwards. */
class LimiterFaultTest {
    /** Where the server asks the limiter. */
    enum Place {
        ENTRY,
        REJECTION,
        END
    }

    private final RpcFixture fixture = new RpcFixture(SocketMode.TCP);

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
    void shouldAnswerTheCallThatWasHit(Place place, Thrown thrown) {
        FaultyLimiter limiter = new FaultyLimiter(thrown);
        Server server = fixture.server(ServerOptions.DEFAULT);
        limitEcho(server.core().registry(), limiter);
        Channel channel = fixture.channel(server, RpcFixture.PATIENT);
        try (ClientController hit = channel.controller();
                ClientController after = channel.controller()) {
            limiter.next.set(place);

            String answer = EchoCalls.echo(channel, hit, "x");

            if (place == Place.END) {
                assertThat(answer).isEqualTo("x");
            } else {
                assertThat(hit.errorCode()).isEqualTo(RpcError.EINTERNAL.code());
                assertThat(hit.errorText()).contains(thrown.trace());
            }
            assertThat(EchoCalls.echo(channel, after, "after")).isEqualTo("after");
        }
        RpcFixture.eventually(() -> server.concurrency() == 0, () -> "calls of the server");
        assertThat(server.connections()).hasSize(1);
        ServiceMethod echo = echo(server.core().registry());
        RpcFixture.eventually(() -> echo.status().concurrency() == 0, () -> "calls of the method");
    }

    private static ServiceMethod echo(MethodRegistry registry) {
        return registry.find("test.EchoService", "Echo").orElseThrow();
    }

    private static void limitEcho(MethodRegistry registry, ConcurrencyLimiter limiter) {
        ServiceMethod echo = echo(registry);
        registry.add(
                echo.descriptor(),
                echo.requestPrototype(),
                echo.handler(),
                echo.isNonBlocking(),
                limiter);
    }

    /** Throws once, where it is told to. */
    private static final class FaultyLimiter implements ConcurrencyLimiter {
        private final Thrown thrown;
        private final AtomicReference<Place> next = new AtomicReference<>();

        FaultyLimiter(Thrown thrown) {
            this.thrown = thrown;
        }

        private void raiseAt(Place place) {
            if (next.compareAndSet(place, null)) {
                thrown.raise();
            }
        }

        @Override
        public boolean isAllowed(int concurrency, int timeoutMs) {
            raiseAt(Place.ENTRY);
            return next.get() != Place.REJECTION;
        }

        @Override
        public void onEnd(long latencyUs, int errorCode) {
            raiseAt(Place.END);
        }

        @Override
        public int maxConcurrency() {
            raiseAt(Place.REJECTION);
            return 1;
        }
    }
}
