// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class PosixTest {
    @Test
    @EnabledOnOs(
            value = OS.LINUX,
            architectures = {"amd64", "aarch64"})
    void shouldHaveFutexOnLinux() {
        assertThat(Posix.hasFutex()).isTrue();
    }

    @Test
    void shouldEndFutexWaitWhenTimeIsOver() {
        assumeThat(Posix.hasFutex()).as("futex").isTrue();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment word = arena.allocate(JAVA_INT);
            long start = System.nanoTime();

            Posix.futexWait(word.address(), 0, 20_000_000);

            assertThat(System.nanoTime() - start).isBetween(20_000_000L, 10_000_000_000L);
        }
    }

    @Test
    void shouldNotSleepWhenValueDiffers() {
        assumeThat(Posix.hasFutex()).as("futex").isTrue();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment word = arena.allocate(JAVA_INT);

            Posix.futexWait(word.address(), 1, 0);
            Posix.futexWait(word.address(), 1, Long.MAX_VALUE);

            assertThat(Posix.futexWake(word.address(), 1)).isZero();
        }
    }

    @Test
    void shouldWakeOneSleeper() throws InterruptedException {
        assumeThat(Posix.hasFutex()).as("futex").isTrue();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment word = arena.allocate(JAVA_INT);
            CountDownLatch woken = new CountDownLatch(1);
            Thread sleeper =
                    Thread.ofPlatform()
                            .name("sleeper")
                            .start(
                                    () -> {
                                        Posix.futexWait(word.address(), 0, 0);
                                        woken.countDown();
                                    });

            // There is nobody to wake until the thread sleeps, so the count shows when it does.
            int count = 0;
            while (count == 0 && woken.getCount() > 0) {
                count = Posix.futexWake(word.address(), Integer.MAX_VALUE);
                Thread.onSpinWait();
            }

            assertThat(count).isEqualTo(1);
            assertThat(woken.await(30, TimeUnit.SECONDS)).isTrue();
            sleeper.join();
        }
    }

    @Test
    void shouldRefuseAddressThatIsNotMapped() {
        assumeThat(Posix.hasFutex()).as("futex").isTrue();

        assertThatThrownBy(() -> Posix.futexWait(64, 0, 1_000_000))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EFAULT))
                .hasMessageContaining("0x40");
        assertThat(Posix.futexWake(3, 1)).isEqualTo(-1);
    }

    @Test
    void shouldKnowOwnUser(@TempDir Path folder) throws IOException {
        Object owner = Files.getAttribute(folder, "unix:uid");

        assertThat(Posix.userId()).isEqualTo(owner);
    }
}
