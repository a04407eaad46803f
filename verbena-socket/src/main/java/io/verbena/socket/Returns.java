// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

/**
 * What is owed to a native peer: credits for frames that were consumed, and the count of messages
 * that were read. It travels as immediate data, with a frame that is sent anyway or alone.
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
     * Starts with nothing owed.
     *
     * @param granted how many credits the peer starts with
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

    /** {@return whether to send it even if nothing else is sent} */
    boolean areDue() {
        return credits >= manyCredits || reads > 0;
    }

    /** {@return everything owed, as immediate data; nothing is owed afterwards} */
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
