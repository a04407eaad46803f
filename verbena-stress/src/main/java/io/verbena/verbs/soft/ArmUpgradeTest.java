// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Does a solicited completion raise its event while the queue is armed again? */
@JCStressTest
@Outcome(
        id = "true, true",
        expect = ACCEPTABLE,
        desc = "The event came for the first request, then the second armed.")
@Outcome(
        id = "true, false",
        expect = ACCEPTABLE,
        desc = "The second request armed first; one event answers both.")
@Outcome(
        expect = FORBIDDEN,
        desc = "A solicited completion raised no event although the queue was armed throughout.")
@State
public class ArmUpgradeTest {
    private final Arm arm = new Arm();

    /** A thread waits for a solicited completion. */
    public ArmUpgradeTest() {
        arm.solicited();
    }

    /** Adds a solicited completion. */
    @Actor
    public void producer(ZZ_Result r) {
        r.r1 = arm.fire(true);
    }

    /** Another thread asks for an event for any completion. */
    @Actor
    public void consumer() {
        arm.any();
    }

    /** Adds another completion. */
    @Arbiter
    public void arbiter(ZZ_Result r) {
        r.r2 = arm.fire(false);
    }
}
