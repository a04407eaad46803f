// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZI_Result;

/** Does the reader find a frame whole once it is readable? */
@JCStressTest
@Outcome(id = "false, 0", expect = ACCEPTABLE, desc = "Nothing yet.")
@Outcome(id = "true, 7", expect = ACCEPTABLE, desc = "The frame.")
@Outcome(expect = FORBIDDEN, desc = "A frame that is not there yet.")
@State
public class InboxHandOverTest {
    private final Inbox inbox = new Inbox();

    /** Adds a frame. */
    @Actor
    public void add() {
        inbox.next().frame(3, 7);
        inbox.addRelease();
    }

    /** Reads it. */
    @Actor
    public void read(ZI_Result r) {
        r.r1 = inbox.isReadable();
        r.r2 = r.r1 ? inbox.head().length : 0;
    }
}
