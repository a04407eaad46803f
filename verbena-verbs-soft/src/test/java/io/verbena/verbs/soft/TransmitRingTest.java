// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class TransmitRingTest {
    @Test
    void shouldNotTakeOldPayloadForAFrame() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment slab = arena.allocate(RingLayout.BLOCK_BYTES, 64);
            TransmitRing sender = new TransmitRing(slab, 0, 1);
            ReceiveRing receiver = ReceiveRing.attach(slab, 0, 1).orElseThrow();
            // its second slot will be read at position SLOTS + 1, and looks like the stamp of that
            // position
            long at = sender.claim(2);
            RawMemory.setInt(at + RingLayout.SLOT, RingLayout.SLOTS + 2);
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

    @Test
    void shouldBeToldWhileItsMemoryIsWritten() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment slab = arena.allocate(RingLayout.BLOCK_BYTES, 64);
            TransmitRing sender = new TransmitRing(slab, 0, 1);
            ReceiveRing receiver = ReceiveRing.attach(slab, 0, 1).orElseThrow();

            assertThat(receiver.tryBeginAnswer()).isTrue();
            assertThat(sender.isAnswering()).isTrue();
            receiver.endAnswerRelease();
            assertThat(sender.isAnswering()).isFalse();

            sender.closeVolatile();
            assertThat(receiver.tryBeginAnswer()).isFalse();
            assertThat(sender.isAnswering()).isFalse();
            assertThat(sender.isDetached()).isFalse();
            receiver.detachRelease();
            assertThat(sender.isDetached()).isTrue();
        }
    }

    @Test
    void shouldShowFramesThatWait() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment slab = arena.allocate(RingLayout.BLOCK_BYTES, 64);
            TransmitRing sender = new TransmitRing(slab, 0, 1);
            ReceiveRing receiver = ReceiveRing.attach(slab, 0, 1).orElseThrow();
            assertThat(receiver).hasToString("receive ring [acknowledged 0, head 0: no frames]");

            send(sender, FrameKind.SEND, 2);
            send(sender, FrameKind.READ, 1);

            String frames =
                    "SEND at 0 (flags 11, slots 2, descriptors 0),"
                            + " READ at 2 (flags 11, slots 1, descriptors 0)]";
            assertThat(sender).hasToString("transmit ring [acknowledged 0, tail 3: " + frames);
            assertThat(receiver).hasToString("receive ring [acknowledged 0, head 0: " + frames);
        }
    }

    @Test
    void shouldShowThatItsMemoryIsGone() {
        TransmitRing sender;
        ReceiveRing receiver;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment slab = arena.allocate(RingLayout.BLOCK_BYTES, 64);
            sender = new TransmitRing(slab, 0, 1);
            receiver = ReceiveRing.attach(slab, 0, 1).orElseThrow();
            send(sender, FrameKind.SEND, 1);
        }

        assertThat(sender).hasToString("transmit ring [acknowledged 0, tail 1: memory is gone]");
        assertThat(receiver).hasToString("receive ring [acknowledged 0, head 0: memory is gone]");
    }

    private static void send(TransmitRing sender, int kind, int slots) {
        int flags = FrameFlag.FIRST | FrameFlag.LAST;
        sender.publish(sender.claim(slots), RingLayout.header(kind, flags, slots, 0), slots);
    }

    private static void publish(TransmitRing sender, ReceiveRing receiver, long at, int slots) {
        sender.publish(at, RingLayout.header(FrameKind.SEND, 0, slots, 0), slots);
        assertThat(RingLayout.slots(receiver.nextAcquire())).isEqualTo(slots);
        receiver.advance(slots);
        receiver.acknowledgeRelease();
        assertThat(sender.acknowledge(sender.acknowledgedAcquire())).isTrue();
    }
}
