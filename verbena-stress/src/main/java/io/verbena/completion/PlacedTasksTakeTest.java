// SPDX-License-Identifier: Apache-2.0
package io.verbena.completion;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** Do two threads take each of {@link PlacedTasks} once? */
@JCStressTest
@Outcome(
        id = {"1, 2, 0", "2, 1, 0"},
        expect = ACCEPTABLE,
        desc = "Each took one, in either order.")
@Outcome(expect = FORBIDDEN, desc = "One was taken twice, or not found.")
@State
public class PlacedTasksTakeTest {
    private final PlacedTasks tasks = new PlacedTasks();
    private final Runnable first = () -> {};
    private final Runnable second = () -> {};

    /** Two tasks are there. */
    public PlacedTasksTakeTest() {
        tasks.tryAdd(first);
        tasks.tryAdd(second);
    }

    /** Takes one. */
    @Actor
    public void leader(III_Result r) {
        r.r1 = take();
    }

    /** Takes one. */
    @Actor
    public void standby(III_Result r) {
        r.r2 = take();
    }

    /** Looks what is left. */
    @Arbiter
    public void arbiter(III_Result r) {
        r.r3 = take();
    }

    private int take() {
        Runnable task = tasks.poll();
        if (task == null) {
            return 0;
        }
        return task == first ? 1 : 2;
    }
}
