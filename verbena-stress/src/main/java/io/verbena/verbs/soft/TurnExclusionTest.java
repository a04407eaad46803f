// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZI_Result;

/**
 * Is only one thread inside a {@link Turn}, including one that waits for it with {@link
 * Turn#enter}?
 */
@JCStressTest
@Outcome(id = "false, true, 2", expect = ACCEPTABLE, desc = "One after the other, in either order.")
@Outcome(
        id = "false, false, 2",
        expect = ACCEPTABLE,
        desc = "The poller came second; the other did its work in a second round.")
@Outcome(
        expect = FORBIDDEN,
        desc = "Both were inside at once, or the work of the poller was not done.")
@State
public class TurnExclusionTest {
    private final Turn turn = new Turn();
    private boolean isInside;
    private boolean wereTwo;
    private int turns;

    /** Waits to enter, as control operations do. */
    @Actor
    public void control() {
        if (turn.enter()) {
            work();
        }
    }

    /** Enters only if nobody is inside, as posting and polling threads do. */
    @Actor
    public void poller(ZZI_Result r) {
        r.r2 = turn.tryEnter();
        if (r.r2) {
            work();
        }
    }

    /** Checks whether two were inside at once, and how many turns were taken. */
    @Arbiter
    public void arbiter(ZZI_Result r) {
        r.r1 = wereTwo;
        r.r3 = turns;
    }

    // plain reads and writes: a second thread inside would see the first or lose a count
    private void work() {
        do {
            wereTwo |= isInside;
            isInside = true;
            turns++;
            isInside = false;
        } while (!turn.tryExit());
    }
}
