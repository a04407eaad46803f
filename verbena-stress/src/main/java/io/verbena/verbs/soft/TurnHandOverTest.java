// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZI_Result;

/**
 * Is work published before a failed {@link Turn#tryEnter} done by the holder? One thread posts
 * twice, with a release store, while another is inside; the holder does everything that is posted.
 */
@JCStressTest
@Outcome(id = "true, true, 2", expect = ACCEPTABLE, desc = "The poster found the turn free twice.")
@Outcome(
        id = {"false, true, 2", "true, false, 2"},
        expect = ACCEPTABLE,
        desc = "One post was left to the holder, which did it before it left.")
@Outcome(
        id = "false, false, 2",
        expect = ACCEPTABLE,
        desc = "Both posts were left to the holder; the second found the mark of the first.")
@Outcome(expect = FORBIDDEN, desc = "A post was not done: its thread failed to enter.")
@State
public class TurnHandOverTest {
    private final Turn turn = new Turn();
    private final AtomicInteger posted = new AtomicInteger();
    private int done;

    /** Enters if it can, as a polling thread does. */
    @Actor
    public void poller() {
        run();
    }

    /** Posts twice. */
    @Actor
    public void poster(ZZI_Result r) {
        posted.setRelease(1);
        r.r1 = run();
        posted.setRelease(2);
        r.r2 = run();
    }

    /** Checks what was done. */
    @Arbiter
    public void arbiter(ZZI_Result r) {
        r.r3 = done;
    }

    private boolean run() {
        if (!turn.tryEnter()) {
            return false;
        }
        do {
            done = posted.getAcquire();
        } while (!turn.tryExit());
        return true;
    }
}
