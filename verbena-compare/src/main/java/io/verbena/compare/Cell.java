// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import java.util.ArrayList;
import java.util.List;

/**
 * One measurement: a message size and a number of calls.
 *
 * @param bytes how many bytes a call sends and gets back
 * @param depth how many calls are under way at a time
 */
record Cell(int bytes, int depth) {
    /** The size of the smallest message. */
    static final int SMALLEST = 32;

    private static final List<Integer> SIZES = List.of(SMALLEST, 4 << 10, 64 << 10, 1 << 20);
    private static final int DEEP = 64;

    /** The smallest message, one call at a time. */
    static final Cell ONE_SMALL = new Cell(SMALLEST, 1);

    /** The smallest message, many calls at a time. */
    static final Cell MANY_SMALL = new Cell(SMALLEST, DEEP);

    /** With more of the largest calls, the measurement would be about the memory for messages. */
    private static final int DEEP_IF_LARGE = 8;

    /** {@return each size with one call, and with many} */
    static List<Cell> all() {
        List<Cell> cells = new ArrayList<>();
        for (int size : SIZES) {
            cells.add(new Cell(size, 1));
            cells.add(new Cell(size, size == 1 << 20 ? DEEP_IF_LARGE : DEEP));
        }
        return List.copyOf(cells);
    }

    /** {@return whether it measures latency} */
    boolean isLatency() {
        return depth == 1;
    }

    /** {@return the size in readable form} */
    String size() {
        if (bytes >= 1 << 20) {
            return (bytes >> 20) + " MiB";
        }
        return bytes >= 1 << 10 ? (bytes >> 10) + " KiB" : bytes + " B";
    }
}
