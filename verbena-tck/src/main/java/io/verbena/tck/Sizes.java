// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import java.util.List;

/** Message sizes worth trying. */
final class Sizes {
    /**
     * Around every power of two at which a device may take another path: line, packet, page, ring.
     */
    static final List<Integer> EDGES =
            List.of(
                    0,
                    1,
                    7,
                    8,
                    9,
                    47,
                    48,
                    49,
                    63,
                    64,
                    65,
                    127,
                    128,
                    129,
                    255,
                    256,
                    257,
                    511,
                    512,
                    513,
                    1023,
                    1024,
                    1025,
                    2047,
                    2048,
                    2049,
                    4095,
                    4096,
                    4097,
                    8191,
                    8192,
                    8193,
                    32767,
                    32768,
                    32769,
                    65535,
                    65536,
                    65537,
                    1 << 18,
                    (1 << 20) + 3);

    /** The largest of {@link #EDGES}. */
    static final int LARGEST_EDGE = (1 << 20) + 3;

    /** A message too large for any ring. */
    static final int HUGE = 64 << 20;

    /** Bytes before and after a buffer that must stay as they were. */
    static final int GUARD = 64;

    private Sizes() {}

    /**
     * Cuts a length into unequal parts, each at least 1.
     *
     * @param length at least the number of parts
     * @param parts how many
     */
    static int[] uneven(int length, int parts) {
        int[] sizes = new int[parts];
        int left = length;
        for (int i = 0; i < parts - 1; i++) {
            int rest = parts - 1 - i;
            sizes[i] = Math.clamp((long) left / 3 + i % 5, 1, left - rest);
            left -= sizes[i];
        }
        sizes[parts - 1] = left;
        return sizes;
    }
}
