// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.testing.ChildJvm;
import io.verbena.verbs.SendOpcode;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The cost of a device that was busy and is now idle. */
@Tag("quiet")
@Timeout(60)
class IdleCostTest {
    private static final int PAIRS = 100;
    private static final long IDLE_SECONDS = 2;

    /** The kernel counts in hundredths of a second. */
    private static final double TICK_SECONDS = 0.01;

    @Test
    void shouldCostNextToNothingWhenIdle() throws Exception {
        assumeTrue(Files.exists(Path.of("/proc/self/schedstat")), "needs /proc with schedstat");
        try (ChildJvm child = ChildJvm.start(Busy.class)) {
            assertThat(child.line()).isEqualTo("idle");
            // what the JVM does on its own after start-up does not count for the device
            awaitSeconds(1);

            double devicesBefore = devices(child.pid());
            double processBefore = seconds(Path.of("/proc/" + child.pid() + "/stat"));
            awaitSeconds(IDLE_SECONDS);
            double devices = devices(child.pid()) - devicesBefore;
            double process = seconds(Path.of("/proc/" + child.pid() + "/stat")) - processBefore;

            System.out.printf(
                    Locale.ROOT,
                    "IdleCostTest: device threads %.4f s, process %.2f s of %d s%n",
                    devices,
                    process,
                    IDLE_SECONDS);
            assertThat(devices).as("CPU seconds of the devices").isLessThan(0.01 * IDLE_SECONDS);
            // a tick more for the timers of the JVM
            assertThat(process)
                    .as("CPU seconds")
                    .isLessThan(0.01 * IDLE_SECONDS + 2 * TICK_SECONDS);
            child.finish();
        }
    }

    private static void awaitSeconds(long seconds) throws InterruptedException {
        assertThat(new CountDownLatch(1).await(seconds, TimeUnit.SECONDS)).isFalse();
    }

    private static double devices(long pid) throws IOException {
        double sum = 0;
        int found = 0;
        try (Stream<Path> tasks = Files.list(Path.of("/proc/" + pid + "/task"))) {
            for (Path task : tasks.toList()) {
                if (Files.readString(task.resolve("comm")).startsWith("verbena-soft")) {
                    // finer than the ticks: nanoseconds on a processor, then two other numbers
                    String text = Files.readString(task.resolve("schedstat"));
                    sum += Long.parseLong(text.split(" ", -1)[0]) / 1e9;
                    found++;
                }
            }
        }
        assertThat(found).as("threads of devices").isEqualTo(2);
        return sum;
    }

    /** {@return user and system time} The name in parentheses may hold anything. */
    private static double seconds(Path stat) throws IOException {
        String text = Files.readString(stat);
        String[] words = text.substring(text.lastIndexOf(')') + 2).split(" ", -1);
        return (Long.parseLong(words[11]) + Long.parseLong(words[12])) * TICK_SECONDS;
    }

    /** Connects many queue pairs, polls hard for a while, and then does nothing. */
    static final class Busy {
        private static final long BUSY_NS = 500_000_000;

        private Busy() {}

        public static void main(String[] arguments) throws IOException {
            List<Party> parties = new ArrayList<>();
            for (int i = 0; i < PAIRS; i++) {
                Party left = new Party("soft0", 4096, true, 16);
                Party right = new Party("soft1", 4096, true, 16);
                left.toInit();
                right.toInit();
                left.connect(right.address());
                right.connect(left.address());
                parties.add(left);
                parties.add(right);
            }
            long endNs = System.nanoTime() + BUSY_NS;
            for (long i = 0; System.nanoTime() - endNs < 0; i++) {
                for (Party party : parties) {
                    party.poll();
                }
                if (i % 50 == 0) {
                    parties.get((int) (i / 50 % parties.size()))
                            .post(SendOpcode.RDMA_WRITE, i, 0, 8, 0);
                }
            }
            System.out.println("idle");
            System.in.transferTo(OutputStream.nullOutputStream());
        }
    }
}
