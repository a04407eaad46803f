// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.StringJoiner;

/** Prints the frames in a ring, for debugging. */
final class RingDump {
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    private RingDump() {}

    /**
     * {@return the published frames between two positions, or why none can be shown} Reads through
     * the segment, so it is safe whatever has become of the ring.
     */
    static String frames(MemorySegment slab, long offset, long from, long to) {
        StringJoiner frames = new StringJoiner(", ");
        frames.setEmptyValue("no frames");
        try {
            long position = from;
            while (position < to) {
                long slot = offset + RingLayout.slotOffset(position);
                long word = (long) LONG.getAcquire(slab, slot);
                if (!RingLayout.isStamp(word, position)) {
                    break;
                }
                frames.add(describe(word, position));
                position += Math.max(1, RingLayout.slots(word));
            }
        } catch (IllegalStateException e) {
            return "memory is gone";
        } catch (WrongThreadException e) {
            return "memory of another thread";
        }
        return frames.toString();
    }

    private static String describe(long word, long position) {
        return FrameKind.name(RingLayout.kind(word))
                + " at "
                + position
                + " (flags "
                + Integer.toBinaryString(RingLayout.flags(word))
                + ", slots "
                + RingLayout.slots(word)
                + ", descriptors "
                + RingLayout.descriptors(word)
                + ")";
    }
}
