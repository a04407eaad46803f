// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.verbena.verbs.WorkCompletion;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** Do two consumers of a {@link CompletionRing} take each completion exactly once? */
@JCStressTest
@Outcome(
        id = {"1, 2, 0", "2, 1, 0"},
        expect = ACCEPTABLE,
        desc = "Each took one, in either order.")
@Outcome(
        expect = FORBIDDEN,
        desc = "One was taken twice or torn, or a consumer left although one was there.")
@State
public class CompletionRingConsumersTest {
    private final CompletionRing ring = new CompletionRing(2);
    private final StressOwner owner = new StressOwner(1);

    /** Two completions are there. */
    public CompletionRingConsumersTest() {
        owner.offer(ring, 1);
        owner.offer(ring, 2);
    }

    /** Takes one. */
    @Actor
    public void first(III_Result r) {
        r.r1 = take();
    }

    /** Takes one. */
    @Actor
    public void second(III_Result r) {
        r.r2 = take();
    }

    /** Counts what is left. */
    @Arbiter
    public void arbiter(III_Result r) {
        r.r3 = ring.take(StressMemory.cursor());
    }

    private int take() {
        WorkCompletion cursor = StressMemory.cursor();
        int count = ring.take(cursor);
        return count == 1 && owner.isWhole(cursor.at(0)) ? (int) cursor.id() : -count;
    }
}
