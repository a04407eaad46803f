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
import org.openjdk.jcstress.infra.results.IIII_Result;

/**
 * Is the depth of a {@link CompletionRing} kept, and does no producer overwrite what is being read?
 */
@JCStressTest
@Outcome(
        id = "1, 0, 1, 2",
        expect = ACCEPTABLE,
        desc = "The third was offered before the first was taken: the depth is two.")
@Outcome(
        id = "1, 1, 1, 23",
        expect = ACCEPTABLE,
        desc = "The first was taken in time, and the third has its place.")
@Outcome(
        expect = FORBIDDEN,
        desc = "The depth was exceeded, or a completion was torn, lost or overwritten.")
@State
public class CompletionRingConsumerTest {
    // two places for three completions: the third reuses the place of the first
    private final CompletionRing ring = new CompletionRing(2);
    private final StressOwner owner = new StressOwner(1);

    /** One completion is there. */
    public CompletionRingConsumerTest() {
        owner.offer(ring, 1);
    }

    /** Adds two; there may be room for one. */
    @Actor
    public void producer(IIII_Result r) {
        r.r1 = owner.offer(ring, 2) ? 1 : 0;
        r.r2 = owner.offer(ring, 3) ? 1 : 0;
    }

    /** Takes one and reads it. */
    @Actor
    public void consumer(IIII_Result r) {
        WorkCompletion taken = StressMemory.cursor();
        int count = ring.take(taken);
        r.r3 = count == 1 && owner.isWhole(taken.at(0)) ? (int) taken.id() : -1;
    }

    /** Counts the rest. */
    @Arbiter
    public void arbiter(IIII_Result r) {
        WorkCompletion taken = StressMemory.cursor();
        int rest = 0;
        while (ring.take(taken) == 1) {
            rest = rest * 10 + (owner.isWhole(taken.at(0)) ? (int) taken.id() : 9);
        }
        r.r4 = rest;
    }
}
