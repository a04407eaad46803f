// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.verbena.verbs.ReceiveWorkRequest;
import java.lang.foreign.Arena;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZJI_Result;

/** Are the receives below the tail of a {@link ReceiveQueue} complete? */
@JCStressTest
@Outcome(
        id = "true, 0, 0",
        expect = ACCEPTABLE,
        desc = "The turn looked before the receive was posted.")
@Outcome(id = "false, 3, 1", expect = ACCEPTABLE, desc = "The turn saw the whole receive.")
@Outcome(expect = FORBIDDEN, desc = "A receive below the tail was incomplete.")
@State
public class ReceiveQueueAppendTest {
    private static final ReceiveWorkRequest ONE =
            ReceiveWorkRequest.allocate(Arena.global(), 1).id(3).elementCount(1);

    private final ReceiveQueue queue = new ReceiveQueue(2, 1);

    /** Posts a receive. */
    @Actor
    public void poster() {
        queue.append(ONE);
    }

    /** Takes it if it is there. */
    @Actor
    public void turn(ZJI_Result r) {
        r.r1 = queue.isEmpty();
        if (!r.r1) {
            r.r2 = queue.id(queue.headSlot());
            r.r3 = queue.elementCount(queue.headSlot());
            queue.remove();
        }
    }
}
