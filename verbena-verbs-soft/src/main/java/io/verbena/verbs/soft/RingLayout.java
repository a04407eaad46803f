// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

/**
 * One direction of a connection in shared memory. The block belongs to the sending queue pair; the
 * receiving one maps it.
 *
 * <pre>
 *     0  producer line, written by the sender
 *          0 state: 1 once the sender will publish nothing more and its buffers may change
 *          4 rnr retry: the last "receiver not ready" the sender has answered
 *   128  consumer line, written by the receiver
 *          0 state: nonce and UNATTACHED, ATTACHED, ANSWERING or DETACHED
 *          8 acknowledged: everything below this position was executed
 *         16 negative acknowledgement: position, number and syndrome, or 0
 *   256  attention line, written by the sender's owner, read by the receiver
 *          0 requests: 1 while somebody polls for incoming requests (ring no bell)
 *          4 acknowledgements: 1 while somebody polls for those
 *   384  slots of 64 bytes
 * </pre>
 *
 * A frame takes one or more consecutive slots. Its first word publishes it:
 *
 * <pre>
 *     0  stamp: low 32 bits of position + 1 | kind | flags | slots | descriptors
 *     8  acknowledged (low 32 bits, other direction) | immediate
 *    16  remote address
 *    24  rkey | length of the whole message
 *    32  length of this frame's part | reserved
 *    40  payload, or descriptors, or operands of an atomic (and at 56 its result)
 * </pre>
 */
final class RingLayout {
    /** The unit processors move between caches. */
    static final int CACHE_LINE = 64;

    /**
     * How far apart lines are that different threads write: processors prefetch lines in aligned
     * pairs. With one line between them, a round trip took 0.46 or 0.84 µs, depending on the start;
     * with two it takes 0.46 µs in every start.
     */
    private static final int APART = 2 * CACHE_LINE;

    static final int SLOT = CACHE_LINE;
    static final int SLOTS = 128;

    private static final long PRODUCER_LINE = 0;
    private static final long CONSUMER_LINE = PRODUCER_LINE + APART;
    private static final long ATTENTION_LINE = CONSUMER_LINE + APART;

    static final long PRODUCER_STATE = PRODUCER_LINE;
    static final long RNR_RETRY = PRODUCER_LINE + 4;
    static final long CONSUMER_STATE = CONSUMER_LINE;
    static final long ACKNOWLEDGED = CONSUMER_LINE + 8;
    static final long NEGATIVE = CONSUMER_LINE + 16;
    static final long REQUEST_ATTENTION = ATTENTION_LINE;
    static final long ACKNOWLEDGE_ATTENTION = ATTENTION_LINE + 4;
    static final long FIRST_SLOT = ATTENTION_LINE + APART;

    /**
     * The three lines and the slots, in pairs of cache lines: blocks that lie side by side belong
     * to different queue pairs.
     */
    static final long BLOCK_BYTES = FIRST_SLOT + (long) SLOTS * SLOT;

    static final long ACK_IMMEDIATE = 8;
    static final long REMOTE_ADDRESS = 16;
    static final long RKEY_LENGTH = 24;
    static final long FRAME_LENGTH = 32;
    static final long PAYLOAD = 40;
    static final long ATOMIC_OPERAND = 40;
    static final long ATOMIC_SWAP = 48;
    static final long ATOMIC_RESULT = 56;
    static final int DESCRIPTOR = 16;
    static final long DESCRIPTOR_START = 0;
    static final long DESCRIPTOR_LENGTH = 8;
    static final long DESCRIPTOR_ID = 12;

    static final int MAX_FRAME_SLOTS = 8;

    /** The most payload a frame carries in its own slots. */
    static final int MAX_PAYLOAD = MAX_FRAME_SLOTS * SLOT - (int) PAYLOAD;

    /** The most memory pieces a frame describes. */
    static final int MAX_DESCRIPTORS = 4;

    /** The most bytes a frame describes: bounds how long executing one takes. */
    static final int MAX_DESCRIBED = 256 * 1024;

    static final int UNATTACHED = 0;
    static final int ATTACHED = 1;
    static final int DETACHED = 2;

    /** Attached, and writing what a read asked for into the sender's memory. */
    static final int ANSWERING = 3;

    private RingLayout() {}

    /** {@return the offset in a block of the slot for a position} */
    static long slotOffset(long position) {
        return FIRST_SLOT + (position & SLOTS - 1) * SLOT;
    }

    /**
     * {@return whether a word publishes the frame at a position, rather than one of an earlier lap}
     */
    static boolean isStamp(long word, long position) {
        return (int) word == (int) (position + 1);
    }

    static int slotsFor(int payloadBytes) {
        return (int) PAYLOAD + payloadBytes + SLOT - 1 >>> 6;
    }

    /** {@return the address of a descriptor of the frame at an address} */
    static long descriptor(long frame, int index) {
        return frame + PAYLOAD + (long) index * DESCRIPTOR;
    }

    static long header(int kind, int flags, int slots, int descriptors) {
        return ((long) kind | (long) flags << 8 | (long) slots << 16 | (long) descriptors << 24)
                << 32;
    }

    static int kind(long word) {
        return (int) (word >>> 32) & 0xFF;
    }

    static int flags(long word) {
        return (int) (word >>> 40) & 0xFF;
    }

    static int slots(long word) {
        return (int) (word >>> 48) & 0xFF;
    }

    static int descriptors(long word) {
        return (int) (word >>> 56) & 0xFF;
    }
}
