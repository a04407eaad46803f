// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** After arming, does either the poll find the completion or an event arrive? */
@JCStressTest
@Outcome(
        id = "false, true",
        expect = ACCEPTABLE,
        desc = "The completion came before the arm, and the poll after it finds it.")
@Outcome(
        id = "true, false",
        expect = ACCEPTABLE,
        desc = "The completion came after the poll, and raised an event.")
@Outcome(
        id = "true, true",
        expect = ACCEPTABLE,
        desc = "The completion came between arm and poll: found, and an event too.")
@Outcome(
        id = "false, false",
        expect = FORBIDDEN,
        desc = "The consumer waits for an event that does not come.")
@State
public class ArmTest {
    private static final int ONE = 1;

    private final CompletionRing ring = new CompletionRing(2);
    private final StressOwner owner = new StressOwner(1);
    private final Arm arm = new Arm();

    /** Adds a completion, and an event if one was asked for. */
    @Actor
    public void producer(ZZ_Result r) {
        owner.offer(ring, ONE);
        r.r1 = arm.fire(false);
    }

    /** Asks for an event, then checks whether one is needed. */
    @Actor
    public void consumer(ZZ_Result r) {
        arm.any();
        r.r2 = !ring.isEmpty();
    }
}
