// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.SplittableRandom;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;

/** Does a look-up that runs during a rebuild of the {@link KeyTable} find the keys that stay? */
@JCStressTest
@Outcome(
        id = "staying, leaving, null",
        expect = ACCEPTABLE,
        desc = "The look-up came before the removal, or is in the old table.")
@Outcome(
        id = "staying, null, null",
        expect = ACCEPTABLE,
        desc = "The look-up came after the removal.")
@Outcome(
        expect = FORBIDDEN,
        desc = "A key that was present throughout was not found, or a removed one was found.")
@State
public class KeyTableRebuildTest {
    private static final int BEFORE_REBUILD = 32;

    private final KeyTable<String> table = new KeyTable<>(new SplittableRandom(1));
    private final int staying;
    private final int leaving;

    /** The next addition rebuilds the table. */
    public KeyTableRebuildTest() {
        staying = table.add("staying");
        leaving = table.add("leaving");
        for (int i = 2; i < BEFORE_REBUILD; i++) {
            table.add("other");
        }
    }

    /** Removes one key, and adds one, which rebuilds. */
    @Actor
    public void changer() {
        table.remove(leaving);
        table.add("new");
    }

    /** Looks up two keys. */
    @Actor
    public void reader(LLL_Result r) {
        r.r1 = table.find(staying);
        r.r2 = table.find(leaving);
    }

    /** Looks up the removed key. */
    @Arbiter
    public void arbiter(LLL_Result r) {
        r.r3 = table.find(leaving);
    }
}
