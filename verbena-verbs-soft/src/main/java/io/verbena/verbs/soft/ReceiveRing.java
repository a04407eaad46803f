// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Optional;

/**
 * The receiving end of a ring that lives in the peer's block, see {@link RingLayout}. Used inside
 * the queue pair's turn, except for the opaque read of {@link #looksReady}.
 *
 * <p>The peer may be hostile: everything is read once and checked before use.
 */
final class ReceiveRing {
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
    private static final int MASK = RingLayout.SLOTS - 1;

    private final MemorySegment slab;
    private final long offset;
    private final long base;
    private long head;
    private long published;

    private ReceiveRing(MemorySegment slab, long offset) {
        RawMemory.know(slab, offset, RingLayout.BLOCK_BYTES);
        this.slab = slab;
        this.offset = offset;
        this.base = slab.address() + offset;
    }

    /** {@return the ring, attached, unless its owner has given it up} */
    static Optional<ReceiveRing> attach(MemorySegment slab, long offset, long nonce) {
        boolean attached =
                LONG.compareAndSet(
                        slab,
                        offset + RingLayout.CONSUMER_STATE,
                        nonce << 2 | RingLayout.UNATTACHED,
                        nonce << 2 | RingLayout.ATTACHED);
        return attached ? Optional.of(new ReceiveRing(slab, offset)) : Optional.empty();
    }

    /**
     * {@return whether a frame waits; a hint for pollers outside the turn} They may call this when
     * the peer is dead and its memory gone, so it reads through the segment.
     */
    boolean looksReady() {
        long position = head;
        try {
            long slot = offset + RingLayout.slotOffset(position);
            return RingLayout.isStamp((long) LONG.getOpaque(slab, slot), position);
        } catch (IllegalStateException e) {
            // unmapped by now: there is nothing to see, and the queue pair will find out itself
            return false;
        }
    }

    /** {@return the word that publishes the next frame, or 0 if there is none yet} */
    long nextAcquire() {
        long word = RawMemory.getLongAcquire(slotAddress(head));
        return RingLayout.isStamp(word, head) ? word : 0;
    }

    /**
     * {@return whether a frame of that many slots can start here without crossing the ring's end}
     */
    boolean fits(int slots) {
        return slots >= 1 && slots <= RingLayout.SLOTS - ((int) head & MASK);
    }

    long headAddress() {
        return slotAddress(head);
    }

    long head() {
        return head;
    }

    void advance(int slots) {
        head += slots;
    }

    /** {@return how many slots were executed and not yet acknowledged} */
    long unacknowledged() {
        return head - published;
    }

    /** {@return the position to send along with a frame in the other direction} */
    int piggyback() {
        published = head;
        return (int) head;
    }

    /** Publishes that everything before the head was executed, results included. */
    void acknowledgeRelease() {
        published = head;
        RawMemory.setLongRelease(base + RingLayout.ACKNOWLEDGED, head);
    }

    /** Publishes a refusal; everything before the head was executed. */
    void refuseRelease(int number, int syndrome) {
        acknowledgeRelease();
        RawMemory.setLongRelease(base + RingLayout.NEGATIVE, Syndrome.word(head, number, syndrome));
    }

    int rnrRetryAcquire() {
        return RawMemory.getIntAcquire(base + RingLayout.RNR_RETRY);
    }

    /**
     * {@return whether the sender has given up what is in the ring} Ask after copying: if it has
     * not given up by then, the copied bytes were valid.
     */
    boolean isClosedAfterCopy() {
        VarHandle.loadLoadFence();
        return RawMemory.getIntAcquire(base + RingLayout.PRODUCER_STATE) != 0;
    }

    /**
     * Announces that memory which the sender has described is about to be written.
     *
     * @return false if the sender has given it up, and may use it for something else by now
     */
    boolean tryBeginAnswer() {
        stateRelease(RingLayout.ANSWERING);
        // pairs with the sender, which closes the ring and then looks whether it is being answered
        Fences.betweenStoreAndLook();
        if (RawMemory.getIntAcquire(base + RingLayout.PRODUCER_STATE) == 0) {
            return true;
        }
        stateRelease(RingLayout.ATTACHED);
        return false;
    }

    /** What was written before this is the sender's. */
    void endAnswerRelease() {
        stateRelease(RingLayout.ATTACHED);
    }

    /** Promises the sender not to touch the ring any more. */
    void detachRelease() {
        stateRelease(RingLayout.DETACHED);
    }

    private void stateRelease(int state) {
        long nonceAndState = RawMemory.getLongAcquire(base + RingLayout.CONSUMER_STATE);
        RawMemory.setLongRelease(base + RingLayout.CONSUMER_STATE, nonceAndState & ~3L | state);
    }

    /** {@return whether the peer wants a bell for a new request} Only after publishing. */
    boolean wantsRequestBell() {
        return RawMemory.getIntOpaque(base + RingLayout.REQUEST_ATTENTION) == 0;
    }

    /** {@return whether the peer wants a bell for an acknowledgement} Only after publishing. */
    boolean wantsAcknowledgeBell() {
        return RawMemory.getIntOpaque(base + RingLayout.ACKNOWLEDGE_ATTENTION) == 0;
    }

    private long slotAddress(long position) {
        return base + RingLayout.slotOffset(position);
    }

    /** {@return the state and the frames not yet executed} Any thread, also after close. */
    @Override
    public String toString() {
        long from = head;
        return "receive ring [acknowledged "
                + published
                + ", head "
                + from
                + ": "
                + RingDump.frames(slab, offset, from, from + RingLayout.SLOTS)
                + "]";
    }
}
