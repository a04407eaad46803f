// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.verbena.verbs.SendWorkRequest;
import java.lang.foreign.Arena;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJ_Result;

/** Are the requests below the tail of a {@link SendQueue} complete? */
@JCStressTest
@Outcome(id = "0, 0, 0", expect = ACCEPTABLE, desc = "The turn looked before the chain was posted.")
@Outcome(
        id = "2, 11, 25",
        expect = ACCEPTABLE,
        desc = "The turn saw the whole chain: it is published at once.")
@Outcome(expect = FORBIDDEN, desc = "A request below the tail was incomplete.")
@State
public class SendQueueAppendTest {
    private static final SendWorkRequest CHAIN = chain();

    private final SendQueue queue = StressQueues.sendQueue(2);

    /** Posts a chain of two. */
    @Actor
    public void poster() {
        queue.append(CHAIN);
    }

    /** Reads what is below the tail. */
    @Actor
    public void turn(JJJ_Result r) {
        r.r1 = queue.tailAcquire();
        if (r.r1 > 0) {
            r.r2 = queue.id(queue.slot(0)) * 10 + queue.elementCount(queue.slot(0));
        }
        if (r.r1 > 1) {
            r.r3 = queue.id(queue.slot(1)) * 10 + queue.immediate(queue.slot(1));
        }
    }

    private static SendWorkRequest chain() {
        SendWorkRequest second = SendWorkRequest.allocate(Arena.global(), 1).id(2).immediate(5);
        return SendWorkRequest.allocate(Arena.global(), 1).id(1).elementCount(1).next(second);
    }
}
