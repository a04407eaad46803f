// SPDX-License-Identifier: Apache-2.0
package io.verbena.completion;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.verbena.completion.StressPoller.StressWaiter;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IZ_Result;

/** Does the end reach a thread that is about to park? A wait that is never over shows as a hang. */
@JCStressTest
@Outcome(id = "42, true", expect = ACCEPTABLE, desc = "It saw the result, and is not counted.")
@Outcome(id = "42, false", expect = FORBIDDEN, desc = "It is still counted.")
@Outcome(expect = FORBIDDEN, desc = "It resumed without the result.")
@State
public class WaiterEndTest {
    private final StressPoller poller = new StressPoller();
    private volatile StressWaiter waiter;
    private int result;

    /** Waits for the end. */
    @Actor
    public void waiting(IZ_Result r) {
        StressWaiter own = new StressWaiter();
        waiter = own;
        own.await(poller);
        r.r1 = result;
    }

    /** Ends the wait. */
    @Actor
    public void ending() {
        StressWaiter other = waiter;
        while (other == null) {
            Thread.onSpinWait();
            other = waiter;
        }
        result = 42;
        other.finish();
    }

    /** Looks who is counted. */
    @Arbiter
    public void arbiter(IZ_Result r) {
        r.r2 = poller.isDeserted();
    }
}
