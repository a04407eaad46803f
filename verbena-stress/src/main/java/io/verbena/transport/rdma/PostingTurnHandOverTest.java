// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZI_Result;

/** Is work that was published before {@link PostingTurn#enter} done by the thread inside? */
@JCStressTest
@Outcome(id = "true, true, 2", expect = ACCEPTABLE, desc = "Each found the turn free.")
@Outcome(
        id = {"true, false, 2", "false, true, 2"},
        expect = ACCEPTABLE,
        desc = "One left its work to the other.")
@Outcome(expect = FORBIDDEN, desc = "Work was not done, or nobody was inside.")
@State
public class PostingTurnHandOverTest {
    private final PostingTurn turn = new PostingTurn();
    private final AtomicInteger written = new AtomicInteger();
    private int posted;

    /** Writes and posts. */
    @Actor
    public void one(ZZI_Result r) {
        r.r1 = writeAndPost();
    }

    /** The same. */
    @Actor
    public void two(ZZI_Result r) {
        r.r2 = writeAndPost();
    }

    /** Looks what was posted. */
    @Arbiter
    public void arbiter(ZZI_Result r) {
        r.r3 = posted;
    }

    private boolean writeAndPost() {
        written.incrementAndGet();
        int entered = turn.enter();
        for (int seen = entered; seen > 0; seen = turn.leave(seen)) {
            posted = written.get();
        }
        return entered > 0;
    }
}
