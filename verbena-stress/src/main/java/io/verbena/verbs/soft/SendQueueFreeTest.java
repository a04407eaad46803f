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
import org.openjdk.jcstress.infra.results.IIJ_Result;

/** Does a {@link SendQueue} never hold more than its capacity? */
@JCStressTest
@Outcome(id = "0, 0, 1", expect = ACCEPTABLE, desc = "Both posts came before the slot was free.")
@Outcome(id = "0, 1, 1", expect = ACCEPTABLE, desc = "The slot became free between the posts.")
@Outcome(
        id = "1, 0, 1",
        expect = ACCEPTABLE,
        desc = "The slot was free; the second post found the queue full again.")
@Outcome(
        expect = FORBIDDEN,
        desc = "More requests than the queue holds, or one in use was overwritten.")
@State
public class SendQueueFreeTest {
    private static final SendWorkRequest OLD = SendWorkRequest.allocate(Arena.global(), 0).id(1);
    private static final SendWorkRequest NEW = SendWorkRequest.allocate(Arena.global(), 0).id(2);

    private final SendQueue queue = StressQueues.sendQueue(2);

    /** The queue is full. */
    public SendQueueFreeTest() {
        queue.append(OLD);
        queue.append(OLD);
    }

    /** Posts two more, if there is room. */
    @Actor
    public void poster(IIJ_Result r) {
        r.r1 = queue.append(NEW);
        r.r2 = queue.append(NEW);
    }

    /** Has polled the first completion, which frees one slot. */
    @Actor
    public void poller() {
        queue.free(1);
    }

    /** Reads the second request, which is still in use. */
    @Arbiter
    public void arbiter(IIJ_Result r) {
        r.r3 = queue.id(queue.slot(1));
    }
}
