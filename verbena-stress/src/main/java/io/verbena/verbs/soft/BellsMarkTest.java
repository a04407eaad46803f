// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Is a mark that is set while the owner takes the marks never lost? */
@JCStressTest
@Outcome(
        id = "2, 0",
        expect = ACCEPTABLE,
        desc = "The owner took both marks, whether or not the summary was set again.")
@Outcome(
        id = "1, 1",
        expect = ACCEPTABLE,
        desc = "The new mark came after the owner took the leaf, and set the summary.")
@Outcome(expect = FORBIDDEN, desc = "A mark was lost, or stays below a summary that is not set.")
@State
public class BellsMarkTest {
    private static final StressMemory MEMORY = new StressMemory(512);
    private static final long AREA = 256;
    private static final int INDEX = 70;

    private final MemorySegment control = MEMORY.take();
    private final Bells bells = new Bells(control);

    /** The group's summary may be set from an earlier mark. */
    public BellsMarkTest() {
        bells.mark(AREA, INDEX + 1);
    }

    /** Marks a queue pair. */
    @Actor
    public void ringer() {
        bells.mark(AREA, INDEX);
    }

    /** Takes what is marked. */
    @Actor
    public void owner(II_Result r) {
        r.r1 = sweep();
    }

    /** Takes what is marked then. */
    @Arbiter
    public void arbiter(II_Result r) {
        r.r2 = sweep();
    }

    private int sweep() {
        return bells.takeSummary(AREA, 0) == 0
                ? 0
                : Long.bitCount(bells.takeLeaf(AREA, INDEX >>> 6));
    }
}
