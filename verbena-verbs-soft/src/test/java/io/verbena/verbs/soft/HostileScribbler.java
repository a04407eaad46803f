// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Random;

/**
 * A peer that writes whatever it likes into all memory of one connection that it can reach: its own
 * ring, the acknowledgement line of the victim's ring and the victim's bells. What it writes looks
 * valid more often than not, so that it gets past the first checks.
 */
final class HostileScribbler {
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
    private static final int[] LENGTHS = {
        0, 1, 7, 8, 24, 40, 41, 464, 472, 473, 512, 4096, 65_536, 262_144, 262_145, 1 << 30, -1
    };
    private static final int[] SYNDROMES = {
        0,
        Syndrome.RNR | 1,
        Syndrome.RNR | 31,
        Syndrome.INVALID_REQUEST,
        Syndrome.REMOTE_ACCESS,
        Syndrome.REMOTE_OPERATION,
        Syndrome.GONE,
        0xFF
    };

    private final Random random;
    private final int wickedness;
    private final MemorySegment ring;
    private final long base;
    private final MemorySegment victimRing;
    private final long victimBase;
    private final MemorySegment victimControl;
    private final Bells bells;
    private final AttachMessage victim;
    private final long[] addresses;
    private final int[] keys;

    /**
     * A scribbler on a connection.
     *
     * @param addresses of the victim's memory, exposed or not
     * @param keys of the victim's regions, right or wrong
     */
    HostileScribbler(
            Random random,
            SoftDevice attackerDevice,
            AttachMessage attacker,
            SoftDevice victimDevice,
            AttachMessage victim,
            long[] addresses,
            int[] keys) {
        this.random = random;
        // in thousandths: with little of it the connection lives long enough to get far
        this.wickedness = 1 << random.nextInt(10);
        this.ring = attackerDevice.segments().memory(attacker.segment());
        this.base = attacker.base();
        this.victimRing = victimDevice.segments().memory(victim.segment());
        this.victimBase = victim.base();
        this.victimControl = victimDevice.segments().memory(ControlLayout.SEGMENT_ID);
        this.bells = new Bells(victimControl);
        this.victim = victim;
        this.addresses = addresses;
        this.keys = keys;
    }

    void scribble() {
        int choice = random.nextInt(100);
        if (random.nextInt(1_000) >= wickedness) {
            answerNotReady();
            acknowledgeOne();
            writeFrame();
        } else if (choice < 80) {
            forgeFrame();
        } else if (choice < 82) {
            ring.set(
                    ValueLayout.JAVA_LONG,
                    base + 8L * random.nextInt((int) RingLayout.BLOCK_BYTES / 8),
                    random.nextLong());
        } else if (choice < 87) {
            scribbleProducerLine();
        } else if (choice < 92) {
            scribbleConsumerLine();
        } else {
            scribbleBells();
        }
        bells.mark(victim.requestArea(), victim.requestIndex());
    }

    /** Says "try again", like a sender that was told to wait. */
    private void answerNotReady() {
        long negative = (long) LONG.getAcquire(ring, base + RingLayout.NEGATIVE);
        if (Syndrome.isRnr(negative)) {
            INT.setVolatile(ring, base + RingLayout.RNR_RETRY, Syndrome.number(negative));
        }
    }

    /** Acknowledges a frame of the victim like a responder, but without executing it. */
    private void acknowledgeOne() {
        long seen = (long) LONG.getAcquire(victimRing, victimBase + RingLayout.ACKNOWLEDGED);
        long at = victimBase + RingLayout.FIRST_SLOT + (seen & 127) * RingLayout.SLOT;
        long word = (long) LONG.getAcquire(victimRing, at);
        if ((int) word == (int) (seen + 1)) {
            long position = seen + RingLayout.slots(word);
            LONG.setRelease(victimRing, victimBase + RingLayout.ACKNOWLEDGED, position);
        }
    }

    /** A correct frame, for the exposed region. */
    private void writeFrame() {
        long position = (long) LONG.getAcquire(ring, base + RingLayout.ACKNOWLEDGED);
        int rest = RingLayout.SLOTS - (int) (position & 127);
        long at = base + RingLayout.FIRST_SLOT + (position & 127) * RingLayout.SLOT;
        int kind = 2 + random.nextInt(5);
        int length = kind >= 5 ? 8 : random.nextInt(RingLayout.MAX_PAYLOAD + 1);
        int slots = kind >= 5 ? 1 : RingLayout.slotsFor(length);
        long header = RingLayout.header(kind, 3 | random.nextInt(8) << 2, slots, 0);
        if (slots > rest) {
            header = RingLayout.header(FrameKind.PAD, 0, rest, 0);
        } else {
            long low = (long) LONG.getAcquire(victimRing, victimBase + RingLayout.ACKNOWLEDGED);
            ring.set(ValueLayout.JAVA_LONG, at + RingLayout.ACK_IMMEDIATE, low & 0xFFFF_FFFFL);
            ring.set(
                    ValueLayout.JAVA_LONG,
                    at + RingLayout.REMOTE_ADDRESS,
                    addresses[0] + random.nextInt(1_000) * 8L);
            ring.set(
                    ValueLayout.JAVA_LONG,
                    at + RingLayout.RKEY_LENGTH,
                    keys[0] & 0xFFFF_FFFFL | (long) length << 32);
            ring.set(ValueLayout.JAVA_INT, at + RingLayout.FRAME_LENGTH, length);
        }
        LONG.setRelease(ring, at, header | position + 1 & 0xFFFF_FFFFL);
    }

    /**
     * Says that it will not touch the victim's ring any more, like a peer that has noticed the
     * failure.
     */
    void letGo() {
        LONG.setRelease(
                victimRing, victimBase + RingLayout.CONSUMER_STATE, (long) RingLayout.DETACHED);
    }

    private void forgeFrame() {
        long position = (long) LONG.getAcquire(ring, base + RingLayout.ACKNOWLEDGED);
        position += random.nextInt(4) == 0 ? random.nextInt(4) : 0;
        long at = base + RingLayout.FIRST_SLOT + (position & 127) * RingLayout.SLOT;
        int kind = random.nextInt(8);
        int flags = random.nextInt(3) == 0 ? random.nextInt(256) : 3 | random.nextInt(8) << 2;
        int descriptors = random.nextInt(3) == 0 ? random.nextInt(6) : 0;
        int length = kind >= 5 ? 8 : LENGTHS[random.nextInt(LENGTHS.length)];
        int slots =
                random.nextInt(8) == 0
                        ? random.nextInt(256)
                        : RingLayout.slotsFor(descriptors > 0 ? 16 * descriptors : length & 0x1FF);
        ring.set(ValueLayout.JAVA_LONG, at + RingLayout.ACK_IMMEDIATE, acknowledgement());
        ring.set(
                ValueLayout.JAVA_LONG,
                at + RingLayout.REMOTE_ADDRESS,
                pick(addresses) + (random.nextInt(4) == 0 ? random.nextInt() : 0));
        long whole = random.nextInt(6) == 0 ? random.nextInt() : length;
        int key = random.nextInt(16) == 0 ? random.nextInt() : keys[random.nextInt(keys.length)];
        ring.set(
                ValueLayout.JAVA_LONG,
                at + RingLayout.RKEY_LENGTH,
                key & 0xFFFF_FFFFL | whole << 32);
        ring.set(ValueLayout.JAVA_INT, at + RingLayout.FRAME_LENGTH, length);
        if (descriptors > 0) {
            forgeDescriptors(at, descriptors, length);
        }
        long header = RingLayout.header(kind, flags, slots & 0xFF, descriptors);
        LONG.setRelease(ring, at, header | position + 1 & 0xFFFF_FFFFL);
    }

    /** Mostly what the victim has sent so far, so that the frame itself gets checked. */
    private long acknowledgement() {
        long low = (long) LONG.getAcquire(victimRing, victimBase + RingLayout.ACKNOWLEDGED);
        if (random.nextInt(200) == 0) {
            low = random.nextInt();
        }
        return low & 0xFFFF_FFFFL | (long) random.nextInt() << 32;
    }

    private void forgeDescriptors(long at, int descriptors, int length) {
        int left = length;
        for (int i = 0; i < Math.min(descriptors, 4); i++) {
            boolean isLast = i == descriptors - 1;
            int part = isLast ? left : Math.max(0, left) / 2;
            left -= part;
            long descriptor = at + RingLayout.PAYLOAD + 16L * i;
            if (descriptor + 16 > base + RingLayout.BLOCK_BYTES) {
                return;
            }
            long start = random.nextInt(4) == 0 ? random.nextLong() : random.nextInt(100_000);
            ring.set(ValueLayout.JAVA_LONG, descriptor, start);
            ring.set(ValueLayout.JAVA_INT, descriptor + 8, part);
            ring.set(
                    ValueLayout.JAVA_INT,
                    descriptor + 12,
                    random.nextInt(8) == 0 ? random.nextInt() : random.nextInt(8));
        }
    }

    private void scribbleProducerLine() {
        switch (random.nextInt(8)) {
            case 0 ->
                    INT.setVolatile(ring, base + RingLayout.PRODUCER_STATE, random.nextInt(10) / 9);
            case 1 -> INT.setVolatile(ring, base + RingLayout.REQUEST_ATTENTION, random.nextInt(3));
            case 2 ->
                    INT.setVolatile(
                            ring, base + RingLayout.ACKNOWLEDGE_ATTENTION, random.nextInt(3));
            default -> INT.setVolatile(ring, base + RingLayout.RNR_RETRY, random.nextInt(64));
        }
    }

    private void scribbleConsumerLine() {
        long seen = (long) LONG.getAcquire(victimRing, victimBase + RingLayout.ACKNOWLEDGED);
        switch (random.nextInt(32)) {
            case 0, 1 ->
                    LONG.setVolatile(
                            victimRing, victimBase + RingLayout.ACKNOWLEDGED, random.nextLong());
            case 2 ->
                    LONG.setVolatile(
                            victimRing, victimBase + RingLayout.CONSUMER_STATE, random.nextLong());
            case 3, 4, 5, 6 ->
                    LONG.setVolatile(
                            victimRing,
                            victimBase + RingLayout.NEGATIVE,
                            Syndrome.word(
                                    seen,
                                    random.nextInt(),
                                    SYNDROMES[random.nextInt(SYNDROMES.length)]));
            default ->
                    LONG.setVolatile(
                            victimRing,
                            victimBase + RingLayout.ACKNOWLEDGED,
                            seen + random.nextInt(3));
        }
    }

    /** Rings and unrings at random, for this and every other queue pair of the queue. */
    private void scribbleBells() {
        switch (random.nextInt(5)) {
            case 0 ->
                    LONG.getAndBitwiseOr(
                            victimControl,
                            victim.requestArea() + ControlLayout.LEAVES + 8L * random.nextInt(256),
                            random.nextLong());
            case 1 ->
                    LONG.getAndBitwiseOr(
                            victimControl,
                            victim.requestArea() + ControlLayout.SUMMARY + 8L * random.nextInt(4),
                            random.nextLong());
            case 2 ->
                    INT.setVolatile(
                            victimControl,
                            victim.requestArea() + ControlLayout.POLLED,
                            random.nextInt());
            case 3 -> INT.setVolatile(victimControl, ControlLayout.SLEEPING, random.nextInt(2));
            default -> new Doorbell(victimControl, ControlLayout.DOORBELL).ring();
        }
    }

    private long pick(long[] values) {
        return values[random.nextInt(values.length)];
    }
}
