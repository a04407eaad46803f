// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJ_Result;

/** Is the result of an atomic there once its frame is acknowledged? */
@JCStressTest
@Outcome(id = "0, 0, 0", expect = ACCEPTABLE, desc = "Not acknowledged yet.")
@Outcome(id = "1, 41, 42", expect = ACCEPTABLE, desc = "Acknowledged, with the result.")
@Outcome(expect = FORBIDDEN, desc = "Acknowledged before the result or the effect was visible.")
@State
public class RingResultTest {
    private static final StressMemory MEMORY =
            new StressMemory(RingLayout.FIRST_SLOT + 4 * RingLayout.SLOT);
    private static final long TARGET = RingLayout.FIRST_SLOT + 2 * RingLayout.SLOT;

    private final MemorySegment slab = MEMORY.take();
    private final TransmitRing sender = new TransmitRing(slab, 0, 1);
    private final ReceiveRing receiver = ReceiveRing.attach(slab, 0, 1).orElseThrow();
    private final RingFrame frame = new RingFrame(null);
    private final MemorySlice target = new MemorySlice();
    private final long at;

    /** A fetch-and-add of 1 to a word that holds 41 was sent. */
    public RingResultTest() {
        at = sender.claim(1);
        slab.set(ValueLayout.JAVA_LONG, TARGET, 41);
        target.set(slab, TARGET);
        RawMemory.setLong(at + RingLayout.ATOMIC_OPERAND, 1);
        RawMemory.setLong(at + RingLayout.RKEY_LENGTH, (long) Long.BYTES << 32);
        RawMemory.setInt(at + RingLayout.FRAME_LENGTH, Long.BYTES);
        sender.publish(at, RingLayout.header(FrameKind.FETCH_AND_ADD, 0, 1, 0), 1);
    }

    /** Executes the frame and acknowledges it. */
    @Actor
    public void responder() {
        frame.read(receiver.nextAcquire(), receiver);
        frame.executeAtomic(target);
        receiver.advance(frame.slots());
        receiver.acknowledgeRelease();
    }

    /** Takes the acknowledgement, then the result and the word itself. */
    @Actor
    public void requester(JJJ_Result r) {
        r.r1 = sender.acknowledgedAcquire();
        if (r.r1 == 1) {
            r.r2 = RawMemory.getLong(at + RingLayout.ATOMIC_RESULT);
            r.r3 = slab.get(ValueLayout.JAVA_LONG, TARGET);
        }
    }
}
