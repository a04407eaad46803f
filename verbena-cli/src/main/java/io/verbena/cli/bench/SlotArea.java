// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.bench;

import java.lang.foreign.MemorySegment;

/** The memory that the messages of a bandwidth test rotate over. */
final class SlotArea {
    private SlotArea() {}

    /** Fills what goes out with a round's bytes and clears what comes in. */
    static void prepare(Lane lane, int round) {
        Pattern.fill(lane.station().outgoing().memory().asSlice(0, lane.areaBytes()), round);
        lane.station().incoming().memory().asSlice(0, lane.areaBytes()).fill((byte) 0);
    }

    /**
     * Throws if one of the slots that a round must have filled does not hold its bytes.
     *
     * @param lane whose incoming memory to check
     * @param round which round
     * @param total how many messages there were in all rounds, this one included
     * @param messages how many there were in this round
     */
    static void check(Lane lane, int round, long total, int messages) {
        MemorySegment memory = lane.station().incoming().memory();
        int slots = lane.slots();
        for (long i = total - Math.min(messages, slots); i < total; i++) {
            Pattern.check(memory, lane.offset((int) (i % slots)), lane.bytes(), round);
        }
    }
}
