// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Does nobody enter a {@link Turn} that was closed? */
@JCStressTest
@Outcome(
        id = "true, false",
        expect = ACCEPTABLE,
        desc = "The poller was in and out before the closer entered.")
@Outcome(
        id = "false, false",
        expect = ACCEPTABLE,
        desc = "The poller came while the closer was inside, or after.")
@Outcome(id = "true, true", expect = FORBIDDEN, desc = "The poller entered a closed turn.")
@State
public class TurnCloseTest {
    private final Turn turn = new Turn();
    private boolean isReleased;

    /** Enters, closes for good, and releases what the turn guards. */
    @Actor
    public void closer() {
        if (turn.enter()) {
            turn.closeFromInside();
            isReleased = true;
        }
    }

    /** Uses what the turn guards. */
    @Actor
    public void poller(ZZ_Result r) {
        r.r1 = turn.tryEnter();
        if (r.r1) {
            do {
                r.r2 = isReleased;
            } while (!turn.tryExit());
        }
    }
}
