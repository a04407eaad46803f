// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/**
 * Is {@link CountedMemory} given back exactly once, by the thread that drops the last reference?
 */
@JCStressTest
@Outcome(
        id = {"1, 0, 1, 1", "0, 1, 1, 1"},
        expect = ACCEPTABLE,
        desc = "One of them was last, and it saw what the other had written.")
@Outcome(
        expect = FORBIDDEN,
        desc = "Given back twice or never, or before the other's write was seen.")
@State
public class LastReferenceTest {
    private static final MemorySegment MEMORY = Arena.global().allocate(8);

    private int first;
    private int second;
    private int seen;
    private int returns;
    private final UserData memory;

    /** Memory with two references. */
    public LastReferenceTest() {
        memory = new UserData(MEMORY, BlockPool.NOT_REGISTERED, this::onReturn);
        memory.addReferences(1);
    }

    private void onReturn() {
        returns++;
        seen = first & second;
    }

    /** Writes plainly, then drops a reference. */
    @Actor
    public void one(IIII_Result r) {
        first = 1;
        r.r1 = memory.dropReference() ? 1 : 0;
    }

    /** The same. */
    @Actor
    public void two(IIII_Result r) {
        second = 1;
        r.r2 = memory.dropReference() ? 1 : 0;
    }

    /** How many times it was given back, and what was seen then. */
    @Arbiter
    public void arbiter(IIII_Result r) {
        r.r3 = returns;
        r.r4 = seen;
    }
}
