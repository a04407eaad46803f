// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.verbena.verbs.SendWorkRequest;
import java.lang.foreign.Arena;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Does a poll that is under way during a reset never give back a slot twice? */
@JCStressTest
@Outcome(
        id = "2",
        expect = ACCEPTABLE,
        desc = "The slot was given back once, by the poller or by the reset.")
@Outcome(expect = FORBIDDEN, desc = "The queue holds more or less than its capacity after a reset.")
@State
public class SendQueueResetTest {
    private static final SendWorkRequest ONE = SendWorkRequest.allocate(Arena.global(), 0);

    private final SendQueue queue = StressQueues.sendQueue(2);

    /** One request is posted and done. */
    public SendQueueResetTest() {
        queue.append(ONE);
    }

    /** Resets the queue pair. */
    @Actor
    public void control() {
        queue.reset();
    }

    /** Has read the generation before the reset, and gives back the slot. */
    @Actor
    public void poller() {
        queue.free(1);
    }

    /** Posts as many as there is room for. */
    @Arbiter
    public void arbiter(I_Result r) {
        int count = 0;
        while (queue.append(ONE) == 1) {
            count++;
        }
        r.r1 = count;
    }
}
