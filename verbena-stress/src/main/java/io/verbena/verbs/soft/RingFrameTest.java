// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ILL_Result;

/** Is a published frame in a ring seen completely, header and payload? */
@JCStressTest
@Outcome(
        id = "0, null, null",
        expect = ACCEPTABLE,
        desc = "The receiver looked before the frame was published.")
@Outcome(
        id = "2, 7, 8",
        expect = ACCEPTABLE,
        desc = "The receiver saw the published frame, and all of it.")
@Outcome(expect = FORBIDDEN, desc = "The frame was seen before its content.")
@State
public class RingFrameTest {
    private static final StressMemory MEMORY =
            new StressMemory(RingLayout.FIRST_SLOT + 4 * RingLayout.SLOT);
    private static final int SLOTS = 2;

    private final MemorySegment slab = MEMORY.take();
    private final TransmitRing sender = new TransmitRing(slab, 0, 1);
    private final ReceiveRing receiver = ReceiveRing.attach(slab, 0, 1).orElseThrow();

    /** Writes the first and the last word of a frame of two slots and publishes it. */
    @Actor
    public void sender() {
        long at = sender.claim(SLOTS);
        RawMemory.setLong(at + RingLayout.ACK_IMMEDIATE, 7);
        RawMemory.setLong(at + SLOTS * RingLayout.SLOT - Long.BYTES, 8);
        sender.publish(at, RingLayout.header(FrameKind.SEND, 0, SLOTS, 0), SLOTS);
    }

    /** Takes the frame if it is there. */
    @Actor
    public void receiver(ILL_Result r) {
        long word = receiver.nextAcquire();
        r.r1 = RingLayout.slots(word);
        if (word != 0) {
            long at = receiver.headAddress();
            r.r2 = RawMemory.getLong(at + RingLayout.ACK_IMMEDIATE);
            r.r3 = RawMemory.getLong(at + SLOTS * RingLayout.SLOT - Long.BYTES);
        }
    }
}
