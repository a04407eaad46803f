// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import java.util.SplittableRandom;

/** Bytes that look random and are reproducible. */
final class Pattern {
    private Pattern() {}

    static byte[] bytes(int count, long seed) {
        byte[] bytes = new byte[count];
        new SplittableRandom(seed).nextBytes(bytes);
        return bytes;
    }
}
