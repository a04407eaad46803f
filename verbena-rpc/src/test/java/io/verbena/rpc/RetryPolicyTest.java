// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.verbena.rpc.test.probe.ProbeServiceClient;
import io.verbena.testing.Thrown;
import io.verbena.transport.Connection;
import io.verbena.transport.SocketMode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RetryPolicyTest {
    private static final int BUSY = 4711;
    private static final int CALLS = 5;
    private static final RetryPolicy IF_BUSY = code -> code == BUSY;

    private final RpcFixture fixture = new RpcFixture(SocketMode.TCP);
    private final AtomicInteger tries = new AtomicInteger();

    @AfterEach
    void close() {
        fixture.close();
    }

    /** {@return a channel to a service that is busy at first} */
    private Channel channel(int failures, ChannelOptions options) {
        Server server =
                fixture.closing(
                        new Server(fixture.serverSide.node)
                                .add(
                                        Probes.service(
                                                (call, question) -> {
                                                    if (tries.incrementAndGet() <= failures) {
                                                        throw new RpcException(BUSY, "busy");
                                                    }
                                                    return Probes.answer("x");
                                                }))
                                .start(RpcFixture.anyPort(), ServerOptions.DEFAULT));
        return fixture.channel(server, options);
    }

    @Test
    void shouldRetryWhatThePolicySays() {
        Channel channel = channel(2, RpcFixture.PATIENT.withRetryPolicy(IF_BUSY));

        try (ClientCall call = channel.newCall()) {
            new ProbeServiceClient(channel).ask(Probes.question("x"), call);

            assertThat(call.retriedCount()).isEqualTo(2);
            assertThat(tries.get()).isEqualTo(3);
        }
    }

    @Test
    void shouldNotRetryOtherwise() {
        ProbeServiceClient client = new ProbeServiceClient(channel(2, RpcFixture.PATIENT));

        RpcException thrown =
                catchThrowableOfType(RpcException.class, () -> client.ask(Probes.question("x")));

        assertThat(thrown.code()).isEqualTo(BUSY);
        assertThat(tries.get()).isEqualTo(1);
    }

    @Test
    void shouldWaitBeforeEachRetry() {
        Channel channel =
                channel(2, RpcFixture.PATIENT.withRetryPolicy(IF_BUSY.withFixedBackoff(40)));

        try (ClientCall call = channel.newCall()) {
            new ProbeServiceClient(channel).ask(Probes.question("x"), call);

            assertThat(call.retriedCount()).isEqualTo(2);
            assertThat(call.latencyUs()).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toMicros(80));
        }
    }

    @Test
    void shouldNotWaitLongerThanTheDeadline() {
        ProbeServiceClient client =
                new ProbeServiceClient(
                        channel(
                                2,
                                RpcFixture.PATIENT
                                        .withTimeoutMs(3_000)
                                        .withRetryPolicy(IF_BUSY.withFixedBackoff(60_000))));

        RpcException thrown =
                catchThrowableOfType(RpcException.class, () -> client.ask(Probes.question("x")));

        assertThat(thrown.code()).isEqualTo(RpcError.ERPCTIMEDOUT.code());
        assertThat(thrown.text()).contains("busy").contains("reached timeout=3000ms");
    }

    /** Whoever tells the calls of a lost connection must get to the last of them. */
    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldTellEveryCallOfALostConnectionThoughThePolicyThrows(Thrown thrown) throws Exception {
        CountDownLatch entered = new CountDownLatch(CALLS);
        CountDownLatch release = new CountDownLatch(1);
        Server server =
                fixture.closing(
                        new Server(fixture.serverSide.node)
                                .add(
                                        Probes.service(
                                                (call, question) -> {
                                                    entered.countDown();
                                                    release.await();
                                                    return Probes.answer("too late");
                                                }))
                                .start(RpcFixture.anyPort(), ServerOptions.DEFAULT));
        RetryPolicy faulty =
                code -> {
                    thrown.raise();
                    return false;
                };
        ProbeServiceClient client =
                new ProbeServiceClient(
                        fixture.channel(server, RpcFixture.PATIENT.withRetryPolicy(faulty)));
        List<CompletableFuture<?>> calls = new ArrayList<>();
        for (int i = 0; i < CALLS; i++) {
            calls.add(client.askAsync(Probes.question("x")));
        }
        assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();

        server.connections().forEach(Connection::close);

        for (CompletableFuture<?> call : calls) {
            assertThatThrownBy(() -> call.get(20, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(RpcException.class)
                    .hasMessageContaining("the retry policy failed")
                    .hasMessageContaining(thrown.trace());
        }
        release.countDown();
        RpcNode node = fixture.clientSide.node;
        RpcFixture.eventually(() -> node.callsUnderWay() == 0, () -> "calls of the client");
    }

    @Test
    void shouldSpreadRetries() {
        RetryPolicy jittered = IF_BUSY.withJitteredBackoff(10, 20);

        for (int i = 0; i < 1000; i++) {
            assertThat(jittered.backoffNs(0))
                    .isBetween(
                            TimeUnit.MILLISECONDS.toNanos(10), TimeUnit.MILLISECONDS.toNanos(20));
        }
        assertThat(jittered.isRetried(BUSY)).isTrue();
        assertThat(jittered.isRetried(RpcError.EEOF.code())).isFalse();
        assertThat(RetryPolicy.DEFAULT.isRetried(RpcError.EEOF.code())).isTrue();
        assertThat(RetryPolicy.DEFAULT.backoffNs(3)).isZero();
        assertThat(RetryPolicy.NEVER.isRetried(RpcError.EEOF.code())).isFalse();
        assertThatThrownBy(() -> IF_BUSY.withJitteredBackoff(20, 10))
                .hasMessage("longest backoff: 10 (expected: >= 20)");
    }
}
