// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Is what was written before {@link FlushList#add} posted, although the endpoint is in the list
 * already, and is just being posted?
 */
@JCStressTest
@Outcome(id = "2, 2", expect = ACCEPTABLE, desc = "The flush came after both writes.")
@Outcome(id = "1, 2", expect = ACCEPTABLE, desc = "The second write was listed again.")
@Outcome(expect = FORBIDDEN, desc = "A write was not posted.")
@State
public class FlushListAddTest {
    private final FlushList list = new FlushList();
    private final AtomicInteger written = new AtomicInteger(1);
    private int posted;
    private final FlushList.Entry entry = new FlushList.Entry(() -> posted = written.get());

    /** Something was written and is listed. */
    public FlushListAddTest() {
        list.add(entry);
    }

    /** Writes again. */
    @Actor
    public void writer() {
        written.incrementAndGet();
        list.add(entry);
    }

    /** Posts what it finds. */
    @Actor
    public void flusher(II_Result r) {
        list.flush();
        r.r1 = posted;
    }

    /** Posts what is listed. */
    @Arbiter
    public void arbiter(II_Result r) {
        list.flush();
        r.r2 = posted;
    }
}
