// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZII_Result;

/** Is an entry that is added again while it is taken out seen with its latest work? */
@JCStressTest
@Outcome(id = "true, 2, 1", expect = ACCEPTABLE, desc = "Taken, and added again.")
@Outcome(id = "true, 2, 0", expect = ACCEPTABLE, desc = "Added before anything was taken.")
@Outcome(id = "true, 1, 1", expect = ACCEPTABLE, desc = "The first was seen, the second is listed.")
@Outcome(id = "false, 2, 0", expect = ACCEPTABLE, desc = "Listed already; all work was seen.")
@Outcome(expect = FORBIDDEN, desc = "Work was done that nobody will see.")
@State
public class CallListAddTest {
    private final CallList<CallListAddTest> list = new CallList<>();
    private final CallList.Entry<CallListAddTest> entry = new CallList.Entry<>(this);
    private int work = 1;
    private int seen;

    /** The entry is in the list. */
    public CallListAddTest() {
        list.add(entry);
    }

    /** Does more work and wants attention. */
    @Actor
    public void add(ZII_Result r) {
        work = 2;
        r.r1 = list.add(entry);
    }

    /** Gives attention. */
    @Actor
    public void drain() {
        list.drain(owner -> owner.seen = owner.work);
    }

    /** Looks what was seen, and whether somebody will look again. */
    @Arbiter
    public void arbiter(ZII_Result r) {
        r.r2 = seen;
        r.r3 = list.isEmpty() ? 0 : 1;
    }
}
