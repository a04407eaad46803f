// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Asserts that numbers look random, with limits that random numbers practically always meet. */
final class KeyStatistics {
    /** Chi-square with 255 degrees of freedom: exceeded once in about ten million tries. */
    private static final double CHI_SQUARE_LIMIT = 400;

    private KeyStatistics() {}

    static void assertSpread(List<Integer> keys) {
        for (int bit = 0; bit < Integer.SIZE; bit++) {
            int mask = 1 << bit;
            long ones = keys.stream().filter(key -> (key & mask) != 0).count();
            assertThat((double) ones / keys.size()).as("share of bit %d", bit).isBetween(0.4, 0.6);
        }
        for (int shift = 0; shift < Integer.SIZE; shift += 8) {
            assertThat(chiSquare(keys, shift))
                    .as("spread of the byte at bit %d", shift)
                    .isLessThan(CHI_SQUARE_LIMIT);
        }
        assertNoSteps(keys);
    }

    private static double chiSquare(List<Integer> keys, int shift) {
        long[] counts = new long[256];
        for (int key : keys) {
            counts[key >>> shift & 0xff]++;
        }
        double expected = keys.size() / 256.0;
        double sum = 0;
        for (long count : counts) {
            sum += (count - expected) * (count - expected) / expected;
        }
        return sum;
    }

    /** One known key must not reveal the next. */
    private static void assertNoSteps(List<Integer> keys) {
        Set<Integer> steps = new HashSet<>();
        for (int i = 1; i < keys.size(); i++) {
            steps.add(keys.get(i) - keys.get(i - 1));
        }
        assertThat(steps).as("distinct steps").hasSizeGreaterThan(keys.size() * 9 / 10);
    }
}
