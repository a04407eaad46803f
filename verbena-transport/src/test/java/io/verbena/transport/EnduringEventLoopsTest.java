// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.verbena.testing.Eventually;
import io.verbena.testing.Thrown;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An event loop whose rounds fail. */
class EnduringEventLoopsTest {
    private final AtomicInteger rounds = new AtomicInteger();

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldGoOnWhenARoundFails(Thrown thrown) throws Exception {
        EventLoopGroup loops =
                new EnduringEventLoops(
                        1,
                        Thread.ofPlatform().daemon().factory(),
                        executor ->
                                thrown.in(
                                        IoHandler.class,
                                        NioIoHandler.newFactory().newHandler(executor),
                                        () -> rounds.getAndIncrement() < 4,
                                        "initialize",
                                        "run"));
        try {
            loops.execute(() -> {});

            Eventually.become(() -> rounds.get() > 4, rounds::get);
            assertThat(loops.submit(() -> 42).get(20, TimeUnit.SECONDS)).isEqualTo(42);
        } finally {
            assertThat(
                            loops.shutdownGracefully(0, 20, TimeUnit.SECONDS)
                                    .await(20, TimeUnit.SECONDS))
                    .isTrue();
        }
    }
}
