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

/** Does the background thread never sleep through a bell? */
@JCStressTest
@Outcome(
        id = "1, false",
        expect = ACCEPTABLE,
        desc = "The last look found the mark; nobody needed to ring.")
@Outcome(
        id = "0, true",
        expect = ACCEPTABLE,
        desc = "The mark came after the last look; the doorbell was rung.")
@Outcome(id = "1, true", expect = ACCEPTABLE, desc = "Both saw each other.")
@Outcome(
        id = "0, false",
        expect = FORBIDDEN,
        desc = "The background thread sleeps although there is something to do.")
@State
public class BellsSleepTest {
    private static final StressMemory MEMORY = new StressMemory(512);
    private static final long AREA = 256;
    private static final int INDEX = 70;

    private final MemorySegment control = MEMORY.take();
    private final Bells bells = new Bells(control);
    private int ticket;

    /** Rings for a queue nobody polls. */
    @Actor
    public void ringer() {
        bells.ring(AREA, INDEX);
    }

    /** Takes a ticket, announces sleep, looks one last time, and would sleep on the ticket. */
    @Actor
    public void background(IZ_Result r) {
        ticket = bells.doorbell().ticket();
        bells.sleepingVolatile(true);
        r.r1 = sweep();
    }

    /** Asks whether the sleep would end. */
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
