// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

/** The times, by code, that a peer may be asked to wait when no receive is posted. */
final class RnrTimer {
    private static final long[] MICROS_TIMES_100 = {
        65_536_000,
        1_000,
        2_000,
        3_000,
        4_000,
        6_000,
        8_000,
        12_000,
        16_000,
        24_000,
        32_000,
        48_000,
        64_000,
        96_000,
        128_000,
        192_000,
        256_000,
        384_000,
        512_000,
        768_000,
        1_024_000,
        1_536_000,
        2_048_000,
        3_072_000,
        4_096_000,
        6_144_000,
        8_192_000,
        12_288_000,
        16_384_000,
        24_576_000,
        32_768_000,
        49_152_000
    };

    private RnrTimer() {}

    static long nanos(int code) {
        return MICROS_TIMES_100[code & 31] * 10;
    }
}
