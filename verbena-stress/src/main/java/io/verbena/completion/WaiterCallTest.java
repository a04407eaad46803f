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

/**
 * Does a thread that is called to poll, and whose wait ends at once, resume, and is it counted
 * once? A wait that is never over shows as a hang.
 */
@JCStressTest
@Outcome(id = "1, true", expect = ACCEPTABLE, desc = "It was called before the end.")
@Outcome(id = "0, true", expect = ACCEPTABLE, desc = "It was not parked, and needed no call.")
@Outcome(expect = FORBIDDEN, desc = "It is still counted, or was counted twice.")
@State
public class WaiterCallTest {
    private final StressPoller poller = new StressPoller();
    private volatile StressWaiter waiter;

    /** Waits for the end. */
    @Actor
    public void waiting() {
        StressWaiter own = new StressWaiter();
        waiter = own;
        own.await(poller);
    }

    /** Calls it, as {@link Waiters#tryCallOne} does, and ends its wait. */
    @Actor
    public void calling(IZ_Result r) {
        StressWaiter other = waiter;
        while (other == null) {
            Thread.onSpinWait();
            other = waiter;
        }
        if (other.tryCall()) {
            poller.poller().drivers().onParkedOver();
            r.r1 = 1;
        }
        other.finish();
    }

    /** Looks who is counted. */
    @Arbiter
    public void arbiter(IZ_Result r) {
        r.r2 = poller.isDeserted();
    }
}
