// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IL_Result;

/** Does a look-up that begins after {@link KeyTable#remove} returned find nothing? */
@JCStressTest
@Outcome(id = "0, region", expect = ACCEPTABLE, desc = "The look-up came first.")
@Outcome(
        id = "0, null",
        expect = ACCEPTABLE,
        desc = "The look-up saw the removal before it was announced.")
@Outcome(id = "1, null", expect = ACCEPTABLE, desc = "The look-up came after the removal.")
@Outcome(
        id = "1, region",
        expect = FORBIDDEN,
        desc = "A look-up that began after the removal found the region.")
@State
public class KeyTableRemoveTest {
    private final KeyTable<String> table = new KeyTable<>(new SplittableRandom(1));
    private final AtomicInteger removed = new AtomicInteger();
    private final int key;

    /** The table holds one key. */
    public KeyTableRemoveTest() {
        key = table.add("region");
    }

    /** Removes the key and announces it. */
    @Actor
    public void changer() {
        table.remove(key);
        removed.setRelease(1);
    }

    /** Looks up the key after asking whether it was removed. */
    @Actor
    public void reader(IL_Result r) {
        r.r1 = removed.getAcquire();
        r.r2 = table.find(key);
    }
}
