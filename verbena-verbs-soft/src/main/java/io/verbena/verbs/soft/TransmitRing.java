// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import java.lang.foreign.MemorySegment;

/**
 * The sending end of a ring, see {@link RingLayout}. Used inside the queue pair's turn only.
 *
 * <p>Positions count slots since the ring was made and never wrap.
 */
final class TransmitRing {
    private static final int MASK = RingLayout.SLOTS - 1;

    private final MemorySegment slab;
    private final long offset;
    private final long base;
    private final long nonce;
    private final boolean[] isInner = new boolean[RingLayout.SLOTS];
    private long tail;
    private long acknowledged;
    private long requested;
    private boolean wasAttached;

    /** Takes a zeroed block; whoever knows the nonce can attach to it. */
    TransmitRing(MemorySegment slab, long offset, long nonce) {
        RawMemory.know(slab, offset, RingLayout.BLOCK_BYTES);
        this.slab = slab;
        this.offset = offset;
        this.base = slab.address() + offset;
        this.nonce = nonce;
        RawMemory.setLongRelease(
                this.base + RingLayout.CONSUMER_STATE, nonce << 2 | RingLayout.UNATTACHED);
    }

    /**
     * {@return the address of a frame's first slot, or -1 if the ring is full} The frame's slots
     * are consecutive; if necessary, the end of the ring is padded.
     */
    long claim(int slots) {
        int index = (int) tail & MASK;
        int rest = RingLayout.SLOTS - index;
        int needed = slots <= rest ? slots : rest + slots;
        // one slot stays free: the one after the frame, which publish may have to clear
        if (tail + needed + 1 - acknowledged > RingLayout.SLOTS) {
            return -1;
        }
        if (slots > rest) {
            publish(slotAddress(tail), RingLayout.header(FrameKind.PAD, 0, rest, 0), rest);
        }
        return slotAddress(tail);
    }

    /**
     * Publishes every field of the frame written before this call. The receiver will wait at the
     * slot after it, where payload of the last lap must not look like a stamp.
     */
    void publish(long address, long header, int slots) {
        int behind = (int) (tail + slots) & MASK;
        if (isInner[behind]) {
            isInner[behind] = false;
            RawMemory.setLong(slotAddress(tail + slots), 0);
        }
        if (RingLayout.kind(header) != FrameKind.PAD) {
            for (int i = 1; i < slots; i++) {
                isInner[(int) (tail + i) & MASK] = true;
            }
        }
        RawMemory.setLongRelease(address, header | tail + 1 & 0xFFFF_FFFFL);
        tail += slots;
    }

    long tail() {
        return tail;
    }

    long acknowledged() {
        return acknowledged;
    }

    /**
     * {@return whether the next frame should ask for an acknowledgement, so that the ring does not
     * fill up} Once half of the ring is in use, one frame in each quarter asks: a sender that waits
     * for room gets its bell, and one that streams is not answered frame by frame.
     */
    boolean needsAcknowledgement() {
        if (tail - acknowledged <= RingLayout.SLOTS / 2
                || tail - requested < RingLayout.SLOTS / 4) {
            return false;
        }
        requested = tail;
        return true;
    }

    /**
     * Moves the acknowledged position forward.
     *
     * @return false if the peer acknowledges what was never sent
     */
    boolean acknowledge(long position) {
        if (position > tail) {
            return false;
        }
        if (position > acknowledged) {
            acknowledged = position;
        }
        return true;
    }

    /** {@return the full position for the low 32 bits a frame carried} */
    long expand(int low) {
        return acknowledged + (low - (int) acknowledged);
    }

    /** Pairs with the responder's release: the results of all frames below are readable. */
    long acknowledgedAcquire() {
        return RawMemory.getLongAcquire(base + RingLayout.ACKNOWLEDGED);
    }

    long acknowledgedOpaque() {
        return RawMemory.getLongOpaque(base + RingLayout.ACKNOWLEDGED);
    }

    long negativeAcquire() {
        return RawMemory.getLongAcquire(base + RingLayout.NEGATIVE);
    }

    long negativeOpaque() {
        return RawMemory.getLongOpaque(base + RingLayout.NEGATIVE);
    }

    void rnrRetryRelease(int number) {
        RawMemory.setIntRelease(base + RingLayout.RNR_RETRY, number);
    }

    /** Tells the responder that frames not yet executed are void and their buffers may change. */
    void closeVolatile() {
        RawMemory.setIntVolatile(base + RingLayout.PRODUCER_STATE, 1);
        // pairs with the responder, which says that it answers and then looks whether it still may
        Fences.afterAnnounce();
        RawMemory.compareAndSetLong(
                base + RingLayout.CONSUMER_STATE,
                nonce << 2 | RingLayout.UNATTACHED,
                nonce << 2 | RingLayout.DETACHED);
    }

    /**
     * {@return whether the responder has promised not to touch this ring any more, or the block has
     * been reused for another ring}
     */
    boolean isDetached() {
        long state = RawMemory.getLongAcquire(base + RingLayout.CONSUMER_STATE);
        return state >>> 2 != nonce || (state & 3) == RingLayout.DETACHED;
    }

    /**
     * {@return whether the responder is writing into memory that was described to it} After {@link
     * #closeVolatile} it begins no more.
     */
    boolean isAnswering() {
        long state = RawMemory.getLongAcquire(base + RingLayout.CONSUMER_STATE);
        return state == (nonce << 2 | RingLayout.ANSWERING);
    }

    /**
     * {@return whether the peer has ever attached to this ring} Only then will it announce that it
     * leaves.
     */
    boolean wasAttached() {
        if (!wasAttached) {
            long state = RawMemory.getLongAcquire(base + RingLayout.CONSUMER_STATE);
            wasAttached = state != (nonce << 2 | RingLayout.UNATTACHED);
        }
        return wasAttached;
    }

    void requestAttention(boolean hot) {
        RawMemory.setIntVolatile(base + RingLayout.REQUEST_ATTENTION, hot ? 1 : 0);
    }

    void acknowledgeAttention(boolean hot) {
        RawMemory.setIntVolatile(base + RingLayout.ACKNOWLEDGE_ATTENTION, hot ? 1 : 0);
    }

    long slotAddress(long position) {
        return base + RingLayout.slotOffset(position);
    }

    /** {@return the state and the frames not yet acknowledged} Any thread, also after close. */
    @Override
    public String toString() {
        long from = acknowledged;
        long to = tail;
        return "transmit ring [acknowledged "
                + from
                + ", tail "
                + to
                + ": "
                + RingDump.frames(slab, offset, from, to)
                + "]";
    }
}
