// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

/**
 * A negative acknowledgement in one word: the position of the frame it is about, a running number
 * so that two about the same frame differ, and the syndrome as RoCE's AETH encodes it.
 *
 * <pre>
 *  63        24 23    8 7        0
 *  | position  | number | syndrome |
 * </pre>
 */
final class Syndrome {
    static final int RNR = 0x20;
    static final int INVALID_REQUEST = 0x61;
    static final int REMOTE_ACCESS = 0x62;
    static final int REMOTE_OPERATION = 0x63;

    /**
     * Not in RoCE: the responder is in the error state or gone; a packet network would time out.
     */
    static final int GONE = 0x7F;

    private Syndrome() {}

    static long word(long position, int number, int syndrome) {
        return position << 24 | (number & 0xFFFFL) << 8 | syndrome;
    }

    static long position(long word) {
        return word >>> 24;
    }

    static int number(long word) {
        return (int) (word >>> 8) & 0xFFFF;
    }

    static int code(long word) {
        return (int) word & 0xFF;
    }

    static boolean isRnr(long word) {
        return (word & 0xE0) == RNR;
    }

    static int rnrTimer(long word) {
        return (int) word & 0x1F;
    }
}
