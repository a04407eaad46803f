// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

/**
 * What is owed to a native peer: credits for frames that were consumed, and news of messages that
 * were read. It travels as immediate data, with a frame that goes there anyway or alone.
 *
 * <pre>
 *  31      16 15       0
 *  |  reads  | credits |
 * </pre>
 *
 * <p>Threads: the holder of the loop's turn.
 */
final class Returns {
    private static final int MASK = 0xFFFF;

    private final int manyCredits;
    private int credits;
    private int reads;

    /**
     * Nothing owed.
     *
     * @param granted how many credits the peer has at first
     */
    Returns(int granted) {
        this.manyCredits = Math.max(1, granted / 2);
    }

    void oweCredit() {
        credits++;
    }

    /** A message was read; the frame that announced it counts as consumed. */
    void oweRead() {
        reads++;
        credits++;
    }

    /** {@return whether to pay even if nothing else goes there} */
    boolean areDue() {
        return credits >= manyCredits || reads > 0;
    }

    /** {@return everything owed, as immediate data; nothing is owed after} */
    int take() {
        int immediate = reads << 16 | credits;
        credits = 0;
        reads = 0;
        return immediate;
    }

    static int credits(int immediate) {
        return immediate & MASK;
    }

    static int reads(int immediate) {
        return immediate >>> 16;
    }
}
