// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/**
 * A thread that must not wait for the owner of a call meets one that is about to give it up: does
 * one of the two see to the call?
 */
@JCStressTest
@Outcome(
        id = {"true, false", "true, true"},
        expect = ACCEPTABLE,
        desc = "It could have claimed the call; that it is told as well does no harm.")
@Outcome(id = "false, true", expect = ACCEPTABLE, desc = "The owner told it.")
@Outcome(id = "false, false", expect = FORBIDDEN, desc = "Nobody comes back to the call.")
@State
public class CallAskTest {
    private final CallTable table = new CallTable();
    private final PendingCall call = table.take();
    private boolean isTold;

    /** Gives up the call. */
    @Actor
    public void owner() {
        call.publish();
    }

    /** Passes by. */
    @Actor
    public void passer(ZZ_Result r) {
        long seen = call.stateWord();
        r.r1 =
                PendingCall.phase(seen) == PendingCall.WAITING
                        || !call.tryAsk(seen, _ -> isTold = true);
    }

    /** What has happened. */
    @Arbiter
    public void check(ZZ_Result r) {
        r.r2 = isTold;
    }
}
