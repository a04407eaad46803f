// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.verbena.verbs.WorkCompletion;
import java.lang.foreign.Arena;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LZ_Result;

/**
 * Do two producers of a {@link CompletionRing} neither lose, repeat, reorder nor tear completions?
 */
@JCStressTest
@Outcome(
        id = {"10 11 20 21, true", "20 21 10 11, true"},
        expect = ACCEPTABLE,
        desc = "One producer after the other.")
@Outcome(
        id = {"10 20 11 21, true", "10 20 21 11, true", "20 10 21 11, true", "20 10 11 21, true"},
        expect = ACCEPTABLE,
        desc = "The producers took places alternately.")
@Outcome(
        expect = FORBIDDEN,
        desc = "A completion was lost, came twice, overtook one of its own producer, or was torn.")
@State
public class CompletionRingProducersTest {
    private static final int COUNT = 4;

    private final CompletionRing ring = new CompletionRing(COUNT);
    private final StressOwner first = new StressOwner(10);
    private final StressOwner second = new StressOwner(20);

    /** Adds 10 and 11. */
    @Actor
    public void first() {
        first.offer(ring, 10);
        first.offer(ring, 11);
    }

    /** Adds 20 and 21. */
    @Actor
    public void second() {
        second.offer(ring, 20);
        second.offer(ring, 21);
    }

    /** Takes all. */
    @Arbiter
    public void arbiter(LZ_Result r) {
        try (Arena arena = Arena.ofConfined()) {
            WorkCompletion taken = WorkCompletion.allocate(arena, COUNT + 1);
            int count = ring.take(taken);
            StringBuilder order = new StringBuilder(COUNT * 2);
            r.r2 = true;
            for (int i = 0; i < count; i++) {
                StressOwner owner = taken.at(i).id() < 20 ? first : second;
                r.r2 &= owner.isWhole(taken);
                order.append(i == 0 ? "" : " ").append(taken.id());
            }
            r.r1 = order.toString();
        }
    }
}
