// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Do the two sides of the asymmetric fence never both miss each other? */
@JCStressTest
@Outcome(
        id = "0, 1",
        expect = ACCEPTABLE,
        desc = "The frequent side did not see the flag; its work was seen.")
@Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "The frequent side saw the flag and will ring.")
@Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "Both saw each other.")
@Outcome(
        id = "0, 0",
        expect = FORBIDDEN,
        desc = "Neither saw the other: work that nobody looks at.")
@State
public class FencesTest {
    private final AtomicInteger work = new AtomicInteger();
    private final AtomicInteger announced = new AtomicInteger();

    /** Frequent side: publishes and looks at the flag. */
    @Actor
    public void frequent(II_Result r) {
        work.setRelease(1);
        Fences.betweenStoreAndLook();
        r.r1 = announced.getOpaque();
    }

    /** Rare side: sets the flag and looks for work. */
    @Actor
    public void rare(II_Result r) {
        announced.set(1);
        Fences.afterAnnounce();
        r.r2 = work.getAcquire();
    }
}
