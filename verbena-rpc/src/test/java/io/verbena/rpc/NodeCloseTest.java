// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.transport.SocketMode;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Closing a node ends, whatever its users do. */
class NodeCloseTest {
    private static final String CLOSER = "verbena-rpc-close";

    @ParameterizedTest
    @EnumSource(SocketMode.class)
    void shouldCloseThoughACallbackDoesNotReturn(SocketMode mode) throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        try (RpcFixture fixture = new RpcFixture(mode)) {
            Server server = fixture.server(ServerOptions.DEFAULT.withSocketMode(mode));
            Properties flags = new Properties();
            flags.setProperty("rdma_device", "soft1");
            RpcNode node = RpcNode.open(mode, flags);
            Channel channel =
                    Channel.open(
                            node,
                            RpcFixture.addressOf(server),
                            RpcFixture.PATIENT.withSocketMode(mode).withCallbackInline(true));
            channel.start(
                    EchoCalls.ECHO,
                    EchoCalls.request("x"),
                    channel.controller(),
                    _ -> {
                        entered.countDown();
                        await(released);
                    });
            assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();
            channel.close();

            node.close(Duration.ofMillis(50));

            assertThat(isClosing()).as("goes on alone").isTrue();
            released.countDown();
            RpcFixture.eventually(() -> !isClosing(), () -> "still closing");
        }
    }

    @Test
    void shouldPassOnWhatAClosedNodeThrows() {
        assertThatThrownBy(
                        () ->
                                BoundedClose.run(
                                        CLOSER,
                                        () -> {
                                            throw new IllegalStateException("as you wish");
                                        },
                                        Duration.ofSeconds(20)))
                .hasMessage("as you wish");
    }

    @Test
    void shouldKeepAnInterrupt() {
        CountDownLatch closed = new CountDownLatch(1);
        Thread.currentThread().interrupt();

        BoundedClose.run(CLOSER, closed::countDown, Duration.ofSeconds(20));

        assertThat(Thread.interrupted()).isTrue();
        assertThat(closed.getCount()).isZero();
    }

    private static boolean isClosing() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().equals(CLOSER));
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
