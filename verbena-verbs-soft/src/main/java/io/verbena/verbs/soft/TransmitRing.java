// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static io.verbena.verbs.soft.RawMemory.ALL;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * The sending end of a ring, see {@link RingLayout}. Used inside the queue pair's turn only.
 *
 * <p>Positions count slots since the ring was made and never wrap.
 */
final class TransmitRing {
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
    private static final int MASK = RingLayout.SLOTS - 1;

    private final long base;
    private final long nonce;
    private final boolean[] isInner = new boolean[RingLayout.SLOTS];
    private long tail;
    private long acknowledged;
    private long requested;
    private boolean wasAttached;

    /** Takes a zeroed block and makes it attachable by who knows the nonce. */
    TransmitRing(MemorySegment slab, long offset, long nonce) {
        this.base = slab.address() + offset;
        this.nonce = nonce;
        LONG.setRelease(
                ALL, this.base + RingLayout.CONSUMER_STATE, nonce << 2 | RingLayout.UNATTACHED);
    }

    /**
     * {@return the address of a frame's first slot, or -1 if the ring is full} The frame's slots
     * are consecutive; the end of the ring is padded if need be.
     */
    long claim(int slots) {
        int index = (int) tail & MASK;
        int rest = RingLayout.SLOTS - index;
        int needed = slots <= rest ? slots : rest + slots;
        // one slot stays free: the one behind the frame, which publish may have to clear
        if (tail + needed + 1 - acknowledged > RingLayout.SLOTS) {
            return -1;
        }
        if (slots > rest) {
            publish(slotAddress(tail), RingLayout.header(RingLayout.KIND_PAD, 0, rest, 0), rest);
        }
        return slotAddress(tail);
    }

    /**
     * Publishes every field of the frame written before this call. The receiver will wait at the
     * slot behind it, where payload of the last lap must not look like a stamp.
     */
    void publish(long address, long header, int slots) {
        int behind = (int) (tail + slots) & MASK;
        if (isInner[behind]) {
            isInner[behind] = false;
            ALL.set(ValueLayout.JAVA_LONG, slotAddress(tail + slots), 0);
        }
        if (RingLayout.kind(header) != RingLayout.KIND_PAD) {
            for (int i = 1; i < slots; i++) {
                isInner[(int) (tail + i) & MASK] = true;
            }
        }
        LONG.setRelease(ALL, address, header | tail + 1 & 0xFFFF_FFFFL);
        tail += slots;
    }

    long tail() {
        return tail;
    }

    long acknowledged() {
        return acknowledged;
    }

    /**
     * {@return whether the next frame should ask for an acknowledgement to keep the ring from
     * running full} So do frames a quarter of the ring apart once half of it is in use: who waits
     * for room is rung for, and who streams is not answered frame by frame.
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

    /** {@return the full position of the low 32 bits a frame carried} */
    long expand(int low) {
        return acknowledged + (low - (int) acknowledged);
    }

    /** Pairs with the responder's release: results of everything below are readable. */
    long acknowledgedAcquire() {
        return (long) LONG.getAcquire(ALL, base + RingLayout.ACKNOWLEDGED);
    }

    long acknowledgedOpaque() {
        return (long) LONG.getOpaque(ALL, base + RingLayout.ACKNOWLEDGED);
    }

    long negativeAcquire() {
        return (long) LONG.getAcquire(ALL, base + RingLayout.NEGATIVE);
    }

    long negativeOpaque() {
        return (long) LONG.getOpaque(ALL, base + RingLayout.NEGATIVE);
    }

    void rnrRetryRelease(int number) {
        INT.setRelease(ALL, base + RingLayout.RNR_RETRY, number);
    }

    /** Tells the responder that frames not yet executed are void and their buffers may change. */
    void closeVolatile() {
        INT.setVolatile(ALL, base + RingLayout.PRODUCER_STATE, 1);
        LONG.compareAndSet(
                ALL,
                base + RingLayout.CONSUMER_STATE,
                nonce << 2 | RingLayout.UNATTACHED,
                nonce << 2 | RingLayout.DETACHED);
    }

    /**
     * {@return whether the responder has promised not to touch this ring any more, or the block has
     * become another ring since}
     */
    boolean isDetached() {
        long state = (long) LONG.getAcquire(ALL, base + RingLayout.CONSUMER_STATE);
        return state >>> 2 != nonce || (state & 3) == RingLayout.DETACHED;
    }

    /** {@return whether the responder has ever taken this ring} Only then it says when it goes. */
    boolean wasAttached() {
        if (!wasAttached) {
            long state = (long) LONG.getAcquire(ALL, base + RingLayout.CONSUMER_STATE);
            wasAttached = state != (nonce << 2 | RingLayout.UNATTACHED);
        }
        return wasAttached;
    }

    void requestAttention(boolean hot) {
        INT.setVolatile(ALL, base + RingLayout.REQUEST_ATTENTION, hot ? 1 : 0);
    }

    void acknowledgeAttention(boolean hot) {
        INT.setVolatile(ALL, base + RingLayout.ACKNOWLEDGE_ATTENTION, hot ? 1 : 0);
    }

    long slotAddress(long position) {
        return base + RingLayout.FIRST_SLOT + (position & MASK) * RingLayout.SLOT;
    }
}
