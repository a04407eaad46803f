// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.memory.BlockPoolOptions;
import io.verbena.testing.Eventually;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Streams, callbacks, messages without a copy, and what happens when there is no memory. */
class SocketViewsTest {
    @ParameterizedTest
    @EnumSource(Compatibility.class)
    void shouldBeAPipeForOrdinaryCode(Compatibility protocol) throws Exception {
        try (Stacks stacks = new Stacks(Stacks.options(protocol))) {
            Stacks.Pair pair = stacks.pair();
            Thread writer =
                    Thread.ofVirtual()
                            .name("writer")
                            .start(
                                    () -> {
                                        try (PrintStream out =
                                                new PrintStream(
                                                        pair.client().outputStream(),
                                                        false,
                                                        StandardCharsets.UTF_8)) {
                                            for (int i = 0; i < 500; i++) {
                                                out.println("line " + i);
                                            }
                                        }
                                    });

            BufferedReader in =
                    new BufferedReader(
                            new InputStreamReader(
                                    pair.server().inputStream(), StandardCharsets.UTF_8));
            List<String> lines = in.lines().toList();

            writer.join();
            assertThat(lines).hasSize(500).endsWith("line 499");
        }
    }

    @Test
    void shouldCarryLargeWritesAsStream() throws Exception {
        try (Stacks stacks = new Stacks(Stacks.NATIVE)) {
            Stacks.Pair pair = stacks.pair();
            byte[] bytes = new byte[3_000_000];
            new java.util.Random(5).nextBytes(bytes);
            Thread writer =
                    Thread.ofVirtual()
                            .name("writer")
                            .start(
                                    () -> {
                                        try (var out = pair.client().outputStream()) {
                                            out.write(bytes);
                                        } catch (IOException e) {
                                            throw new AssertionError(e);
                                        }
                                    });

            assertThat(pair.server().inputStream().readAllBytes()).isEqualTo(bytes);
            writer.join();
        }
    }

    @ParameterizedTest
    @EnumSource(Compatibility.class)
    void shouldCallListenerInOrderAndTellItTheEnd(Compatibility protocol) throws Exception {
        try (Stacks stacks = new Stacks(Stacks.options(protocol))) {
            Stacks.Pair pair = stacks.pair();
            ConcurrentLinkedQueue<Integer> seen = new ConcurrentLinkedQueue<>();
            CompletableFuture<Optional<IOException>> end = new CompletableFuture<>();
            pair.server()
                    .listen(
                            new MessageListener() {
                                @Override
                                public void onMessage(
                                        int node, int flag, MemorySegment memory, long at, int n) {
                                    seen.add(memory.get(ValueLayout.JAVA_INT_UNALIGNED, at));
                                }

                                @Override
                                public void onEnd(Optional<IOException> failure) {
                                    end.complete(failure);
                                }
                            });
            for (int i = 0; i < 2000; i++) {
                pair.client()
                        .send(
                                ByteBuffer.allocate(8)
                                        .order(java.nio.ByteOrder.nativeOrder())
                                        .putInt(0, i));
            }
            pair.client().close();

            assertThat(end.get(30, TimeUnit.SECONDS)).isEmpty();
            assertThat(seen)
                    .containsExactlyElementsOf(
                            java.util.stream.IntStream.range(0, 2000).boxed().toList());
        }
    }

    @ParameterizedTest
    @EnumSource(Compatibility.class)
    void shouldSendAndReceiveWithoutCopy(Compatibility protocol) throws Exception {
        try (Stacks stacks = new Stacks(Stacks.options(protocol))) {
            Stacks.Pair pair = stacks.pair();
            OutgoingMessage unsent = pair.client().prepare(100_000);
            unsent.close();
            assertThatThrownBy(unsent::send).isInstanceOf(IllegalStateException.class);

            try (OutgoingMessage outgoing = pair.client().prepare(100_000)) {
                outgoing.memory().fill((byte) 7);
                outgoing.sendMore();
                assertThatThrownBy(outgoing::memory).isInstanceOf(IllegalStateException.class);
            }

            IncomingMessage incoming = pair.server().receiveMessage(Stacks.LONG).orElseThrow();
            assertThat(incoming.length()).isEqualTo(100_000);
            assertThat(incoming.hasMore()).isTrue();
            assertThat(incoming.memory().get(ValueLayout.JAVA_BYTE, 99_999)).isEqualTo((byte) 7);
            assertThat(pair.server().endpoint().intake().unreadBytes()).isEqualTo(100_000);
            incoming.close();
            incoming.close();
            assertThatThrownBy(incoming::memory).isInstanceOf(IllegalStateException.class);
            assertThat(pair.server().endpoint().intake().unreadBytes()).isZero();
        }
    }

    /** Pools of two regions each, one of them for large messages. */
    private static SocketOptions poor() {
        return Stacks.NATIVE
                .withLimits(1 << 20, 1 << 30, 1 << 30)
                .withPool(BlockPoolOptions.DEFAULT.withSizesMb(32, 32).withDivision(2, 1, 0));
    }

    @Test
    void shouldWaitForMemoryWhenPoolIsExhausted() throws Exception {
        try (Stacks stacks = new Stacks(poor())) {
            Stacks.Pair pair = stacks.pair();
            int sent = 0;
            try {
                while (sent < 1000) {
                    pair.client().send(ByteBuffer.allocate(1 << 20), Duration.ofMillis(50));
                    sent++;
                }
            } catch (SocketTimeoutException e) {
                assertThat(e).hasMessageContaining("memory");
            }
            assertThat(sent).isBetween(1, 100);

            for (int i = 0; i < sent; i++) {
                try (IncomingMessage message =
                        pair.server().receiveMessage(Stacks.LONG).orElseThrow()) {
                    assertThat(message.length()).isEqualTo(1 << 20);
                }
            }
            pair.client().send(Stacks.text("goes on"));
            assertThat(Stacks.next(pair.server())).isEqualTo("goes on");
        }
    }

    @Test
    void shouldFeedStarvedConnectionWhenAnotherGivesMemoryBack() throws Exception {
        try (Stacks stacks = new Stacks(poor(), Stacks.NATIVE)) {
            Stacks.Pair greedy = stacks.pair();
            Stacks.Pair starved = stacks.pair();
            for (int i = 0; i < 20; i++) {
                greedy.client().send(ByteBuffer.allocate(1 << 20));
            }
            Eventually.become(
                    () -> greedy.server().endpoint().intake().isStarved(),
                    () -> greedy.server().endpoint());
            starved.client().send(ByteBuffer.allocate(1 << 20));

            for (int i = 0; i < 20; i++) {
                greedy.server().receiveMessage(Stacks.LONG).orElseThrow().close();
            }
            try (IncomingMessage message =
                    starved.server().receiveMessage(Stacks.LONG).orElseThrow()) {
                assertThat(message.length()).isEqualTo(1 << 20);
            }
        }
    }

    @Test
    void shouldEndCloseThoughPeerNeverReads() throws Exception {
        SocketOptions hasty =
                Stacks.NATIVE.withTimes(
                        Duration.ofNanos(1000), Duration.ofSeconds(10), Duration.ofMillis(100));
        try (Stacks stacks = new Stacks(hasty)) {
            Stacks.Pair pair = stacks.pair();
            try {
                while (true) {
                    // as long as it takes when the peer's thread gets no processor for a while
                    pair.client().send(ByteBuffer.allocate(4000), Duration.ofSeconds(1));
                }
            } catch (SocketTimeoutException e) {
                assertThatThrownBy(pair.client()::close)
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("before the peer had everything");
            }
        }
    }
}
