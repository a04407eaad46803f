// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import java.util.List;
import java.util.stream.Stream;

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

    /** Only on request: a message that is far larger than any window. */
    private static final int LARGEST = 8 << 20;

    private static final int DEEP = 64;

    /** The smallest message, one call at a time. */
    static final Cell ONE_SMALL = new Cell(SMALLEST, 1);

    /** The smallest message, many calls at a time. */
    static final Cell MANY_SMALL = new Cell(SMALLEST, DEEP);

    /** With more of the largest calls, the measurement would be about the memory for messages. */
    private static final int DEEP_IF_LARGE = 8;

    /** More would be more than Verbena lets wait for one connection. */
    private static final int DEEP_IF_LARGEST = 4;

    /** {@return each usual size with one call, and with many} */
    static List<Cell> usual() {
        return SIZES.stream().flatMap(size -> of(size).stream()).toList();
    }

    /** {@return those of these sizes; none for a size that is not measured} */
    static List<Cell> of(List<Integer> sizes) {
        return Stream.concat(SIZES.stream(), Stream.of(LARGEST))
                .filter(sizes::contains)
                .flatMap(size -> of(size).stream())
                .toList();
    }

    private static List<Cell> of(int size) {
        int many =
                switch (size) {
                    case LARGEST -> DEEP_IF_LARGEST;
                    case 1 << 20 -> DEEP_IF_LARGE;
                    default -> DEEP;
                };
        return List.of(new Cell(size, 1), new Cell(size, many));
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
