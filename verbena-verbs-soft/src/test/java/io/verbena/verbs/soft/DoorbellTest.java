// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.testing.ChildJvm;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("quiet")
@Timeout(120)
class DoorbellTest {
    private static final long PING = 0;
    private static final long PONG = 128;
    private static final long SIZE = 256;
    private static final long PATIENCE_NS = 20_000_000_000L;

    @Test
    void shouldNotWaitWhenRungAfterTicket() {
        try (Arena arena = Arena.ofShared()) {
            Doorbell bell = new Doorbell(arena.allocate(SIZE, 8), PONG);
            int ticket = bell.ticket();

            bell.ring();

            bell.await(ticket, Long.MAX_VALUE);
            assertThat(bell.ticket()).isEqualTo(ticket + 1);
        }
    }

    @Test
    void shouldReturnWhenTimeIsOver() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(SIZE, 8);

            assertWaits(new Doorbell(memory, PING), 20_000_000);
            assertWaits(Doorbell.portable(memory, PING), 20_000_000);
            assertWaits(new Doorbell(memory, PING), 0);
            assertWaits(Doorbell.portable(memory, PING), -1);
        }
    }

    @Test
    void shouldLoseNoRingBetweenTwoThreads() throws Exception {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(SIZE, 8);

            pingPong(new Doorbell(memory, PING), new Doorbell(memory, PONG), 100_000);
        }
    }

    @Test
    void shouldLoseNoRingInPortableForm() throws Exception {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(SIZE, 8);

            pingPong(Doorbell.portable(memory, PING), Doorbell.portable(memory, PONG), 500);
        }
    }

    @Test
    void shouldRingInAnotherProcess(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("bells");
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = SharedMemory.create(file, SIZE, arena);
            try (ChildJvm child = ChildJvm.start(Echo.class, file, 2_000)) {
                assertThat(child.line()).isEqualTo("ready");
                Doorbell pong = new Doorbell(memory, PONG);

                for (int round = 0; round < 2_000; round++) {
                    new Doorbell(memory, PING).ring();
                    awaitRing(pong, round);
                }

                child.finish();
            }
        }
    }

    @Test
    void shouldKeepInterruptPending() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(SIZE, 8);
            Thread.currentThread().interrupt();

            assertWaits(Doorbell.portable(memory, PING), 5_000_000);
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
            assertWaits(new Doorbell(memory, PING), 5_000_000);

            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void shouldRefuseWhatIsNoAlignedWordInNativeMemory() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(SIZE, 8);

            assertThatThrownBy(() -> new Doorbell(memory, 2))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("offset: 2");
            assertThatThrownBy(() -> new Doorbell(memory, SIZE))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> new Doorbell(MemorySegment.ofArray(new int[4]), 0))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    private static void assertWaits(Doorbell bell, long timeoutNs) {
        long start = System.nanoTime();
        bell.await(bell.ticket(), timeoutNs);
        assertThat(System.nanoTime() - start).isBetween(timeoutNs, PATIENCE_NS);
    }

    private static void pingPong(Doorbell ping, Doorbell pong, int rounds) throws Exception {
        CompletableFuture<Void> echo = new CompletableFuture<>();
        Thread.ofPlatform()
                .daemon()
                .name("echo")
                .start(
                        () -> {
                            try {
                                echo(ping, pong, rounds);
                                echo.complete(null);
                            } catch (AssertionError e) {
                                echo.completeExceptionally(e);
                            }
                        });
        for (int round = 0; round < rounds; round++) {
            ping.ring();
            awaitRing(pong, round);
        }
        echo.get(30, TimeUnit.SECONDS);
    }

    private static void echo(Doorbell ping, Doorbell pong, int rounds) {
        for (int round = 0; round < rounds; round++) {
            awaitRing(ping, round);
            pong.ring();
        }
    }

    /** The bell counts its rings, to distinguish a lost ring from one that never happened. */
    private static void awaitRing(Doorbell bell, int ringsBefore) {
        bell.await(ringsBefore, PATIENCE_NS);
        if (bell.ticket() != ringsBefore + 1) {
            throw new AssertionError(
                    "rings: " + bell.ticket() + ", expected " + ringsBefore + "+1");
        }
    }

    /** Answers each ring of one bell with a ring of the other. */
    static final class Echo {
        private Echo() {}

        public static void main(String[] arguments) throws IOException {
            try (Arena arena = Arena.ofShared()) {
                MemorySegment memory = SharedMemory.map(Path.of(arguments[0]), arena);
                System.out.println("ready");
                int rounds = Integer.parseInt(arguments[1]);
                echo(new Doorbell(memory, PING), new Doorbell(memory, PONG), rounds);
            }
        }
    }
}
