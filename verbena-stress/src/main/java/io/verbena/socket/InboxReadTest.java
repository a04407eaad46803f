// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZI_Result;

/** Does the reader find the bytes of a message that a READ brought, once it is readable? */
@JCStressTest
@Outcome(id = "false, 0", expect = ACCEPTABLE, desc = "Not there yet.")
@Outcome(id = "true, 5", expect = ACCEPTABLE, desc = "The message, with its bytes.")
@Outcome(expect = FORBIDDEN, desc = "A message without its bytes.")
@State
public class InboxReadTest {
    private final Inbox inbox = new Inbox();
    private int bytes;

    /** The message has been announced. */
    public InboxReadTest() {
        inbox.next().message(1, 0, 0, 0, 0);
        inbox.addRelease();
    }

    /** The READ has ended. */
    @Actor
    public void complete() {
        bytes = 5;
        inbox.entry(0).readyRelease();
    }

    /** Reads it. */
    @Actor
    public void read(ZI_Result r) {
        r.r1 = inbox.isReadable();
        r.r2 = r.r1 ? bytes : 0;
    }
}
