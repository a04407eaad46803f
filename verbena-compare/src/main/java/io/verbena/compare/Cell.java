// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import java.util.ArrayList;
import java.util.List;

/**
 * What is measured at a time.
 *
 * @param bytes how many a call sends and gets back
 * @param depth how many calls are under way
 */
record Cell(int bytes, int depth) {
    private static final List<Integer> SIZES = List.of(32, 4 << 10, 64 << 10, 1 << 20);
    private static final int DEEP = 64;

    /** With more of the largest calls, memory for messages would be what is measured. */
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

    /** {@return whether latency is what it shows} */
    boolean isLatency() {
        return depth == 1;
    }

    /** {@return the size as people write it} */
    String size() {
        if (bytes >= 1 << 20) {
            return (bytes >> 20) + " MiB";
        }
        return bytes >= 1 << 10 ? (bytes >> 10) + " KiB" : bytes + " B";
    }
}
