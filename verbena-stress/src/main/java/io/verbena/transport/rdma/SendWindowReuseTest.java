// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Is a slot empty once the window has room for it again? */
@JCStressTest
@Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "No room yet.")
@Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "Emptied, no room seen yet.")
@Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "Room, and an empty slot.")
@Outcome(expect = FORBIDDEN, desc = "Room, but the slot still holds a message.")
@State
public class SendWindowReuseTest {
    private final SendWindow window = SendWindowPostTest.opened();
    private int slot = 1;

    /** One message has been posted: the window is full. */
    public SendWindowReuseTest() {
        window.postRelease();
    }

    /** Ends the message. */
    @Actor
    public void complete() {
        slot = 0;
        window.completeRelease(1);
    }

    /** Wants to post the next one. */
    @Actor
    public void post(II_Result r) {
        r.r1 = window.sendRoomAcquire();
        r.r2 = slot;
    }
}
