// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZI_Result;

/** Is exactly one thread told that a {@link PostingTurn} is closed and empty? */
@JCStressTest
@Outcome(id = "true, false, 1", expect = ACCEPTABLE, desc = "Nobody was inside at the close.")
@Outcome(id = "false, true, 1", expect = ACCEPTABLE, desc = "The thread inside was told.")
@Outcome(id = "true, false, 0", expect = ACCEPTABLE, desc = "The close came first.")
@Outcome(expect = FORBIDDEN, desc = "Nobody was told, or both, or one posted after the end.")
@State
public class PostingTurnCloseTest {
    private final PostingTurn turn = new PostingTurn();
    private int posts;

    /** Closes the turn. */
    @Actor
    public void closing(ZZI_Result r) {
        r.r1 = turn.close();
    }

    /** Posts, if it may. */
    @Actor
    public void posting(ZZI_Result r) {
        int seen = turn.enter();
        for (; seen > 0; seen = turn.leave(seen)) {
            posts++;
        }
        r.r2 = seen < 0;
    }

    /** Counts the posts. */
    @Arbiter
    public void arbiter(ZZI_Result r) {
        r.r3 = posts;
    }
}
