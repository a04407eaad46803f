// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.verbena.memory.RangeTable.Range;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** Does a look-up that runs while the {@link RangeTable} changes find the memory that stays? */
@JCStressTest
@Outcome(
        id = "7, 8",
        expect = ACCEPTABLE,
        desc = "The look-up came before the removal of the second.")
@Outcome(
        id = "7, -1",
        expect = ACCEPTABLE,
        desc = "The look-up came after the removal of the second.")
@Outcome(expect = FORBIDDEN, desc = "Memory that was registered throughout was not found.")
@State
public class RangeTableLookUpTest {
    private static final long GRANULE = 2L << 20;
    private static final int BEFORE_REBUILD = 32;

    private final RangeTable table = new RangeTable();
    private final Range leaving = new Range(100, 100, 8);

    /** Two ranges in one granule; the next granule rebuilds the table. */
    public RangeTableLookUpTest() {
        table.add(new Range(0, 100, 7));
        table.add(leaving);
        for (int i = 1; i < BEFORE_REBUILD; i++) {
            table.add(new Range(i * GRANULE, 100, 9));
        }
    }

    /** Removes one range, and adds one, which rebuilds. */
    @Actor
    public void changer() {
        table.remove(leaving);
        table.add(new Range(BEFORE_REBUILD * GRANULE, 100, 10));
    }

    /** Looks up two ranges. */
    @Actor
    public void reader(JJ_Result r) {
        r.r1 = table.lkey(50, 10);
        r.r2 = table.lkey(150, 10);
    }
}
