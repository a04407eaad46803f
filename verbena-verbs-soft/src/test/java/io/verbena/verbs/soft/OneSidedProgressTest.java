// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.ChildJvm;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.WorkCompletionStatus;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One-sided operations on a process whose application is asleep and never polls. */
@Timeout(60)
class OneSidedProgressTest {
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(5);
    private static final int REGION_BYTES = 1 << 20;
    private static final int ROUNDS = 200;

    @Test
    void shouldCompleteWhileTheTargetSleeps() throws Exception {
        for (boolean isShared : new boolean[] {true, false}) {
            try (Party party = new Party("soft0", REGION_BYTES, isShared, 16);
                    ChildJvm child = ChildJvm.start(Sleeper.class, isShared)) {
                String address = child.line();
                party.toInit();
                party.connect(address);
                child.tell(party.address());
                assertThat(child.line()).isEqualTo("asleep");

                for (int length : new int[] {8, 4_000, 500_000}) {
                    measure(party, "write " + length, id -> write(party, id, length));
                    measure(party, "read " + length, id -> read(party, id, length));
                }
                measure(party, "fetch-and-add", id -> party.postAdd(id, 0, 8));
                assertThat(word(party)).isEqualTo(ROUNDS - 1);
                measure(party, "compare-and-swap", id -> party.postSwap(id, 0, 8, ROUNDS + id, -1));
                assertThat(word(party)).isEqualTo(-1);
                child.finish();
            }
        }
    }

    private static boolean write(Party party, long id, int length) {
        // the second word counts the atomics
        int start = length == Long.BYTES ? 0 : 16;
        return party.post(SendOpcode.RDMA_WRITE, id, start, length, start);
    }

    private static boolean read(Party party, long id, int length) {
        return party.post(SendOpcode.RDMA_READ, id, 0, length, 0);
    }

    private static long word(Party party) {
        return party.region.memory().get(ValueLayout.JAVA_LONG, 0);
    }

    private static void measure(Party party, String what, LongPredicate post) {
        long[] times = new long[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            long startNs = System.nanoTime();
            assertThat(post.test(i)).isTrue();
            while (!party.poll()) {
                assertThat(System.nanoTime() - startNs).as(what).isLessThan(LIMIT_NS);
            }
            assertThat(party.cursor.status()).as(what).isEqualTo(WorkCompletionStatus.SUCCESS);
            times[i] = System.nanoTime() - startNs;
        }
        long first = times[0];
        Arrays.sort(times);
        System.out.printf(
                Locale.ROOT,
                "OneSidedProgressTest %s: median %.1f us, first %.1f us, worst %.1f us%n",
                what,
                times[ROUNDS / 2] / 1e3,
                first / 1e3,
                times[ROUNDS - 1] / 1e3);
    }

    /** The target: connects, then waits for the end of its input. */
    static final class Sleeper {
        private Sleeper() {}

        public static void main(String[] arguments) throws IOException {
            Party party = new Party("soft0", REGION_BYTES, Boolean.parseBoolean(arguments[0]), 16);
            BufferedReader input =
                    new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            System.out.println(party.address());
            String address = input.readLine();
            party.toInit();
            party.connect(address);
            System.out.println("asleep");
            input.readLine();
        }
    }
}
