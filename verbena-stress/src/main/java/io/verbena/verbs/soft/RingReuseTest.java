// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZII_Result;

/** Is a slot of a ring reused only after the frame in it was executed? */
@JCStressTest
@Outcome(
        id = "false, 1, 0",
        expect = ACCEPTABLE,
        desc = "The sender came before the acknowledgement and found the ring full.")
@Outcome(
        id = "true, 1, 2",
        expect = ACCEPTABLE,
        desc = "The sender saw the acknowledgement and used the slot again.")
@Outcome(
        expect = FORBIDDEN,
        desc = "The slot was used again while its frame was being read, or a frame was lost.")
@State
public class RingReuseTest {
    private static final StressMemory MEMORY = new StressMemory(RingLayout.BLOCK_BYTES);
    private static final int OLD = 1;
    private static final int NEW = 2;

    private final MemorySegment slab = MEMORY.take();
    private final TransmitRing sender = new TransmitRing(slab, 0, 1);
    private final ReceiveRing receiver = ReceiveRing.attach(slab, 0, 1).orElseThrow();
    private final long full;

    /** The ring is full of frames that carry OLD. */
    public RingReuseTest() {
        while (send(OLD)) {
            // until there is no room
        }
        // the slot that always stays free is used now, so that the next frame reuses one
        take();
        sender.acknowledge(sender.acknowledgedAcquire());
        send(OLD);
        full = sender.tail();
    }

    /** Sends one more frame if there is room. */
    @Actor
    public void sender(ZII_Result r) {
        sender.acknowledge(sender.acknowledgedAcquire());
        r.r1 = send(NEW);
    }

    /** Takes the oldest frame and acknowledges it. */
    @Actor
    public void receiver(ZII_Result r) {
        r.r2 = take();
    }

    /** Takes the other frames and the new one. */
    @Arbiter
    public void arbiter(ZII_Result r) {
        while (receiver.head() < full) {
            take();
        }
        r.r3 = receiver.nextAcquire() == 0 ? 0 : payload();
    }

    private boolean send(int payload) {
        long at = sender.claim(1);
        if (at < 0) {
            return false;
        }
        RawMemory.setInt(at + RingLayout.PAYLOAD, payload);
        sender.publish(at, RingLayout.header(FrameKind.SEND, 0, 1, 0), 1);
        return true;
    }

    private int take() {
        int payload = receiver.nextAcquire() == 0 ? 0 : payload();
        receiver.advance(1);
        receiver.acknowledgeRelease();
        return payload;
    }

    private int payload() {
        return RawMemory.getInt(receiver.headAddress() + RingLayout.PAYLOAD);
    }
}
