// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Does the dispatcher find the slot filled of a message that it sees posted? */
@JCStressTest
@Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "Not posted yet.")
@Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "Filled, not posted yet.")
@Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "Posted and filled.")
@Outcome(expect = FORBIDDEN, desc = "Posted before its slot was filled.")
@State
public class SendWindowPostTest {
    private final SendWindow window = opened();
    private int slot;

    static SendWindow opened() {
        SendWindow window = new SendWindow();
        window.open(1 + SendWindow.RESERVED, 1 + SendWindow.RESERVED);
        return window;
    }

    /** Posts a message. */
    @Actor
    public void post() {
        slot = 1;
        window.postRelease();
    }

    /** Looks for it. */
    @Actor
    public void dispatch(II_Result r) {
        r.r1 = (int) window.postedAcquire();
        r.r2 = slot;
    }
}
