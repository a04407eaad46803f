// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class TransmitRingTest {
    @Test
    void shouldNotTakeOldPayloadForAFrame() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment slab = arena.allocate(RingLayout.BLOCK_BYTES, 64);
            TransmitRing sender = new TransmitRing(slab, 0, 1);
            ReceiveRing receiver = ReceiveRing.attach(slab, 0, 1);
            // its second slot will be read at position SLOTS + 1, and looks like the stamp of that
            long at = sender.claim(2);
            RawMemory.ALL.set(ValueLayout.JAVA_INT, at + RingLayout.SLOT, RingLayout.SLOTS + 2);
            publish(sender, receiver, at, 2);
            while (receiver.head() < RingLayout.SLOTS) {
                publish(sender, receiver, sender.claim(1), 1);
            }

            publish(sender, receiver, sender.claim(1), 1);

            assertThat(receiver.head()).isEqualTo(RingLayout.SLOTS + 1);
            assertThat(receiver.looksReady()).isFalse();
            assertThat(receiver.nextAcquire()).isZero();
        }
    }

    private static void publish(TransmitRing sender, ReceiveRing receiver, long at, int slots) {
        sender.publish(at, RingLayout.header(RingLayout.KIND_SEND, 0, slots, 0), slots);
        assertThat(RingLayout.slots(receiver.nextAcquire())).isEqualTo(slots);
        receiver.advance(slots);
        receiver.acknowledgeRelease();
        assertThat(sender.acknowledge(sender.acknowledgedAcquire())).isTrue();
    }
}
