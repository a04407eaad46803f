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
import org.openjdk.jcstress.infra.results.IZZ_Result;

/**
 * Does an interrupt that races with parking and with the end stay pending, and is it reported at
 * most once? A wait that is never over shows as a hang.
 */
@JCStressTest
@Outcome(id = "1, true, true", expect = ACCEPTABLE, desc = "It was told of the interrupt.")
@Outcome(id = "0, true, true", expect = ACCEPTABLE, desc = "The end came first.")
@Outcome(id = "[01], false, .*", expect = FORBIDDEN, desc = "The interrupt is lost.")
@Outcome(expect = FORBIDDEN, desc = "It was told twice, or is still counted.")
@State
public class WaiterInterruptTest {
    private final StressPoller poller = new StressPoller();
    private final Thread[] thread = new Thread[1];
    private volatile StressWaiter waiter;
    private volatile boolean isOver;

    /** Waits for the end. */
    @Actor
    public void waiting(IZZ_Result r) {
        StressWaiter own = new StressWaiter();
        thread[0] = Thread.currentThread();
        waiter = own;
        own.await(poller);
        // the interrupt must hit nothing else
        while (!isOver) {
            Thread.onSpinWait();
        }
        r.r1 = own.interrupts();
        r.r2 = Thread.interrupted();
    }

    /** Interrupts it, and ends its wait. */
    @Actor
    public void interrupting() {
        StressWaiter other = waiter;
        while (other == null) {
            Thread.onSpinWait();
            other = waiter;
        }
        thread[0].interrupt();
        other.finish();
        isOver = true;
    }

    /** Looks who is counted. */
    @Arbiter
    public void arbiter(IZZ_Result r) {
        r.r3 = poller.isDeserted();
    }
}
