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
import org.openjdk.jcstress.infra.results.IZ_Result;

/** Is a mark seen that is set while the application stops polling? */
@JCStressTest
@Outcome(
        id = "1, false",
        expect = ACCEPTABLE,
        desc = "The ringer saw the queue polled; the last look found its mark.")
@Outcome(
        id = "0, true",
        expect = ACCEPTABLE,
        desc = "The last look came before the mark; the ringer woke the background thread.")
@Outcome(
        id = "1, true",
        expect = ACCEPTABLE,
        desc = "Both saw each other; the background thread wakes in vain.")
@Outcome(id = "0, false", expect = FORBIDDEN, desc = "Nobody looks at the mark.")
@State
public class BellsHandOverTest {
    private static final StressMemory MEMORY = new StressMemory(512);
    private static final long AREA = 256;
    private static final int INDEX = 70;

    private final MemorySegment control = MEMORY.take();
    private final Bells bells = new Bells(control);
    private final int ticket;

    /** The application polls, and the background thread sleeps. */
    public BellsHandOverTest() {
        bells.polledVolatile(AREA, true);
        bells.sleepingVolatile(true);
        ticket = bells.doorbell().ticket();
    }

    /** Rings. */
    @Actor
    public void ringer() {
        bells.ring(AREA, INDEX);
    }

    /** Stops polling: announces it and looks one last time. */
    @Actor
    public void owner(IZ_Result r) {
        bells.polledVolatile(AREA, false);
        r.r1 = sweep();
    }

    /** Asks whether the background thread was woken. */
    @Arbiter
    public void arbiter(IZ_Result r) {
        r.r2 = bells.doorbell().ticket() != ticket;
    }

    private int sweep() {
        return bells.takeSummary(AREA, 0) == 0
                ? 0
                : Long.bitCount(bells.takeLeaf(AREA, INDEX >>> 6));
    }
}
