// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.pingpong;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.stream.IntStream;

/**
 * The content of the messages. As in C, they repeat one byte, and a validating client sets the
 * first byte of each page to zero, which the server checks. Our client also counts in the second
 * byte and compares what comes back: the server sends what it received.
 */
final class PageMarks {
    private static final byte FILL = 0x7B;
    private static final int PAGE = 4096;
    private static final int STAMP = 1;

    private final MemorySegment incoming;
    private final MemorySegment outgoing;

    PageMarks(MemorySegment incoming, MemorySegment outgoing) {
        this.incoming = incoming;
        this.outgoing = outgoing;
    }

    /**
     * Sets the buffers to their initial content.
     *
     * @param marked whether to mark the pages of the outgoing buffer
     */
    void fill(boolean marked) {
        incoming.fill(FILL);
        outgoing.fill(FILL);
        if (marked) {
            for (long page = 0; page < outgoing.byteSize(); page += PAGE) {
                outgoing.set(ValueLayout.JAVA_BYTE, page, (byte) 0);
            }
        }
    }

    /** Makes the next message differ from the previous one, if there is room. */
    void stamp(int turn) {
        if (outgoing.byteSize() > STAMP) {
            outgoing.set(ValueLayout.JAVA_BYTE, STAMP, (byte) turn);
        }
    }

    /** {@return whether the received bytes are those that were sent} */
    boolean isEcho() {
        return incoming.mismatch(outgoing) < 0;
    }

    /** {@return the numbers of the pages that lack their mark} */
    int[] invalid() {
        int count = (int) ((incoming.byteSize() + PAGE - 1) / PAGE);
        return IntStream.range(0, count)
                .filter(page -> incoming.get(ValueLayout.JAVA_BYTE, (long) page * PAGE) != 0)
                .toArray();
    }
}
