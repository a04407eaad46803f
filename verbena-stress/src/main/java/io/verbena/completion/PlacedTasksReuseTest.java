// SPDX-License-Identifier: Apache-2.0
package io.verbena.completion;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IZI_Result;

/**
 * Is a task that is added while another one is taken found, even if it is the same one and takes
 * its place in the ring?
 */
@JCStressTest
@Outcome(id = "1, true, 256", expect = ACCEPTABLE, desc = "The place was free in time.")
@Outcome(id = "1, false, 255", expect = ACCEPTABLE, desc = "The place was still taken.")
@Outcome(expect = FORBIDDEN, desc = "A task was lost.")
@State
public class PlacedTasksReuseTest {
    private static final Runnable TASK = () -> {};

    private final PlacedTasks tasks = new PlacedTasks();

    /** All places are taken. */
    public PlacedTasksReuseTest() {
        while (tasks.tryAdd(TASK)) {
            Thread.onSpinWait();
        }
    }

    /** Takes the first. */
    @Actor
    public void taking(IZI_Result r) {
        r.r1 = tasks.poll() == null ? 0 : 1;
    }

    /** Adds one, in its place. */
    @Actor
    public void adding(IZI_Result r) {
        r.r2 = tasks.tryAdd(TASK);
    }

    /** Counts what is left. */
    @Arbiter
    public void arbiter(IZI_Result r) {
        while (tasks.poll() != null) {
            r.r3++;
        }
    }
}
