// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** Can two threads take the same block from a {@link Stripe}? */
@JCStressTest
@Outcome(
        id = {"1, 2, 0", "2, 1, 0"},
        expect = ACCEPTABLE,
        desc = "One came after the other.")
@Outcome(
        id = {"2, 0, 1", "0, 2, 1"},
        expect = ACCEPTABLE,
        desc = "One found the other inside and went elsewhere.")
@Outcome(id = "0, 0, 2", expect = FORBIDDEN, desc = "Both went elsewhere although one could enter.")
@Outcome(expect = FORBIDDEN, desc = "Both took the same block, or a block was lost.")
@State
public class StripePopTest {
    private static final BlockPool POOL =
            BlockPool.unregistered(
                    BlockPoolOptions.DEFAULT.withLeakTracking(LeakTracking.DISABLED));
    private static final Block FIRST = POOL.allocate(1);
    private static final Block SECOND = POOL.allocate(1);

    private final Stripe stripe = new Stripe(2);

    /** A stripe with two blocks, the second on top. */
    public StripePopTest() {
        stripe.pushInside(FIRST);
        stripe.pushInside(SECOND);
    }

    private int take() {
        if (!stripe.tryEnter()) {
            return 0;
        }
        Block block = stripe.popInside();
        stripe.leave();
        return block == FIRST ? 1 : 2;
    }

    /** Takes a block, unless the stripe is busy. */
    @Actor
    public void one(III_Result r) {
        r.r1 = take();
    }

    /** The same. */
    @Actor
    public void two(III_Result r) {
        r.r2 = take();
    }

    /** Counts how many are left. */
    @Arbiter
    public void arbiter(III_Result r) {
        r.r3 = stripe.sizeInside();
    }
}
