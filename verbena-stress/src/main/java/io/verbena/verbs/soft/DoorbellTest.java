// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IZ_Result;

/** Is a ring of a {@link Doorbell} never lost between looking for work and waiting? */
@JCStressTest
@Outcome(
        id = "1, false",
        expect = ACCEPTABLE,
        desc = "The work was there, or the ring ended the wait and made it visible.")
@Outcome(
        expect = FORBIDDEN,
        desc = "The ring was lost: the sleeper slept its whole time, or did not see the work.")
@State
public class DoorbellTest {
    private static final StressMemory MEMORY = new StressMemory(64);
    private static final long LONG_NS = 2_000_000_000L;

    private final Doorbell doorbell = new Doorbell(MEMORY.take(), 0);
    private final AtomicInteger work = new AtomicInteger();

    /** Leaves work and rings. */
    @Actor
    public void ringer() {
        work.setPlain(1);
        doorbell.ring();
    }

    /** Takes a ticket, looks for work, and sleeps if there is none. */
    @Actor
    public void sleeper(IZ_Result r) {
        int ticket = doorbell.ticket();
        if (work.getOpaque() == 0) {
            long start = System.nanoTime();
            doorbell.await(ticket, LONG_NS);
            r.r2 = System.nanoTime() - start >= LONG_NS;
        }
        r.r1 = work.getPlain();
    }
}
