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

/** Is what was written before a task was added seen by the thread that takes it? */
@JCStressTest
@Outcome(id = "42, 0, 0", expect = ACCEPTABLE, desc = "Taken as soon as it was there.")
@Outcome(id = "0, 42, 0", expect = ACCEPTABLE, desc = "Taken later.")
@Outcome(expect = FORBIDDEN, desc = "It was lost, taken twice, or torn.")
@State
public class PlacedTasksAddTest {
    private final PlacedTasks tasks = new PlacedTasks();

    /** A task that carries a value, which is not final. */
    private static final class Carrier implements Runnable {
        private int value;

        @Override
        public void run() {
            value = 0;
        }
    }

    /** Adds a task. */
    @Actor
    public void adding() {
        Carrier task = new Carrier();
        task.value = 42;
        tasks.tryAdd(task);
    }

    /** Takes it, if it is there. */
    @Actor
    public void taking(III_Result r) {
        r.r1 = take();
    }

    /** Takes it, if it is left. */
    @Arbiter
    public void arbiter(III_Result r) {
        r.r2 = take();
        r.r3 = take();
    }

    private int take() {
        return tasks.poll() instanceof Carrier task ? task.value : 0;
    }
}
