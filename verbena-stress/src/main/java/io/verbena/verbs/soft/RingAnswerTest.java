// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Does a sender that gives up its reads know whether the responder still writes an answer? */
@JCStressTest
@Outcome(id = "true, true", expect = ACCEPTABLE, desc = "It writes, and the sender waits for it.")
@Outcome(id = "false, false", expect = ACCEPTABLE, desc = "It does not write any more.")
@Outcome(id = "false, true", expect = ACCEPTABLE, desc = "The sender looks again later.")
@Outcome(id = "true, false", expect = FORBIDDEN, desc = "It writes into memory that was given up.")
@State
public class RingAnswerTest {
    private static final StressMemory MEMORY = new StressMemory(RingLayout.BLOCK_BYTES);

    private final MemorySegment slab = MEMORY.take();
    private final TransmitRing sender = new TransmitRing(slab, 0, 1);
    private final ReceiveRing receiver = ReceiveRing.attach(slab, 0, 1).orElseThrow();

    /** Is about to write. */
    @Actor
    public void responder(ZZ_Result r) {
        r.r1 = receiver.tryBeginAnswer();
    }

    /** Gives up, and looks whether it has to wait. */
    @Actor
    public void sender(ZZ_Result r) {
        sender.closeVolatile();
        r.r2 = sender.isAnswering();
    }
}
