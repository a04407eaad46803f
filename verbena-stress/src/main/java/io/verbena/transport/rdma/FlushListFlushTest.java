// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** Do two threads that add and flush two endpoints lose none of them? */
@JCStressTest
@Outcome(id = "1, 1, 0", expect = ACCEPTABLE, desc = "Each was posted once, by either thread.")
@Outcome(expect = FORBIDDEN, desc = "One was not posted before both flushes ended, or twice.")
@State
public class FlushListFlushTest {
    private final FlushList list = new FlushList();
    private final Endpoint first = new Endpoint();
    private final Endpoint second = new Endpoint();

    /** Counts its posts, each of them in one thread. */
    private static final class Endpoint {
        private int posts;
        private final FlushList.Entry entry = new FlushList.Entry(() -> posts++);
    }

    /** Adds one. */
    @Actor
    public void one() {
        list.add(first.entry);
        list.flush();
    }

    /** Adds the other one. */
    @Actor
    public void two() {
        list.add(second.entry);
        list.flush();
    }

    /** Looks what was posted. */
    @Arbiter
    public void arbiter(III_Result r) {
        r.r1 = first.posts;
        r.r2 = second.posts;
        r.r3 = list.isEmpty() ? 0 : 1;
    }
}
