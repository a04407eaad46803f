// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import java.lang.foreign.MemorySegment;

/**
 * The outgoing half of a wire through shared memory: frames go into a {@link TransmitRing}.
 *
 * <p>A short message travels in its frame's own slots. For a long one the frame describes the
 * memory, and the peer copies it once. Memory that the peer cannot reach goes through {@link
 * Staging}, one chunk per frame.
 */
final class RingOutbound implements Outbound {
    private static final int DESCRIPTOR_SLOTS = RingLayout.slotsFor(RingLayout.DESCRIPTOR);
    private static final int MOST_DESCRIPTOR_SLOTS =
            RingLayout.slotsFor(RingLayout.MAX_DESCRIPTORS * RingLayout.DESCRIPTOR);
    private static final long LOW = 0xFFFF_FFFFL;

    private final RingWire wire;
    private final TransmitRing ring;
    private final boolean isPeerLocal;
    private final SharedBlocks stagings;
    private Staging staging;
    private SoftMemoryRegion reachable;
    private long claimed;
    private int payloadBytes;
    private int slots;
    private int descriptors;
    private long noted;

    RingOutbound(RingWire wire, TransmitRing ring, Peer peer, SharedBlocks stagings) {
        this.wire = wire;
        this.ring = ring;
        this.isPeerLocal = peer.isLocal();
        this.stagings = stagings;
    }

    @Override
    public int maxPayload() {
        return RingLayout.MAX_PAYLOAD;
    }

    @Override
    public boolean tryClaim(int bytes) {
        payloadBytes = bytes;
        return claimSlots(RingLayout.slotsFor(bytes));
    }

    private boolean claimSlots(int count) {
        slots = count;
        descriptors = 0;
        claimed = ring.claim(count);
        return claimed >= 0;
    }

    @Override
    public MemorySegment payload() {
        return RawMemory.ALL;
    }

    @Override
    public long payloadOffset() {
        return RawMemory.range(claimed + RingLayout.PAYLOAD, payloadBytes);
    }

    @Override
    public boolean tryClaimAtomic(long operand, long swap) {
        if (!claimSlots(1)) {
            return false;
        }
        RawMemory.setLong(claimed + RingLayout.ATOMIC_OPERAND, operand);
        RawMemory.setLong(claimed + RingLayout.ATOMIC_SWAP, swap);
        return true;
    }

    @Override
    public int tryClaimPart(ElementCursor cursor, long offset, int left, long readIndex) {
        return canPeerReach(cursor) ? describe(cursor) : stage(cursor, offset, left, readIndex);
    }

    private boolean canPeerReach(ElementCursor cursor) {
        if (isPeerLocal) {
            return true;
        }
        reachable = cursor.region();
        return reachable != null && reachable.isShared();
    }

    private int describe(ElementCursor cursor) {
        if (!claimSlots(MOST_DESCRIPTOR_SLOTS)) {
            return BLOCKED;
        }
        int part = 0;
        do {
            part += describePiece(cursor, RingLayout.MAX_DESCRIBED - part);
        } while (descriptors < RingLayout.MAX_DESCRIPTORS
                && part < RingLayout.MAX_DESCRIBED
                && cursor.hasMore()
                && canPeerReach(cursor));
        slots = RingLayout.slotsFor(descriptors * RingLayout.DESCRIPTOR);
        return part;
    }

    private int describePiece(ElementCursor cursor, int most) {
        int piece = cursor.pieceLength(most);
        if (isPeerLocal) {
            addDescriptor(cursor.key(), cursor.address(), piece);
        } else {
            addDescriptor(reachable.segment(), reachable.segmentOffset(cursor.address()), piece);
        }
        cursor.skip(piece);
        return piece;
    }

    private int stage(ElementCursor cursor, long offset, int left, long readIndex) {
        if (staging == null) {
            staging = new Staging(stagings.take());
        }
        if (staging.isFull() || !claimSlots(DESCRIPTOR_SLOTS)) {
            return BLOCKED;
        }
        int part = Math.min(Staging.CHUNK_BYTES, left);
        long chunk = staging.nextOffset();
        if (readIndex >= 0) {
            cursor.skip(part);
        } else if (!cursor.read(staging.memory(), chunk, part)) {
            return LOST;
        }
        addDescriptor(staging.block().segment(), chunk, part);
        staging.take(ring.tail() + slots, part, readIndex, offset);
        return part;
    }

    private void addDescriptor(int id, long start, int length) {
        long descriptor = RingLayout.descriptor(claimed, descriptors++);
        RawMemory.setLong(descriptor + RingLayout.DESCRIPTOR_START, start);
        RawMemory.setInt(descriptor + RingLayout.DESCRIPTOR_LENGTH, length);
        RawMemory.setInt(descriptor + RingLayout.DESCRIPTOR_ID, id);
    }

    @Override
    public void target(long remoteAddress, int rkey, long messageLength) {
        RawMemory.setLong(claimed + RingLayout.REMOTE_ADDRESS, remoteAddress);
        RawMemory.setLong(claimed + RingLayout.RKEY_LENGTH, rkey & LOW | messageLength << 32);
    }

    @Override
    public void publish(int kind, int flags, int immediate, int length) {
        RawMemory.setLong(
                claimed + RingLayout.ACK_IMMEDIATE,
                wire.piggyback() & LOW | (long) immediate << 32);
        RawMemory.setInt(claimed + RingLayout.FRAME_LENGTH, length);
        int asked = needsAcknowledgement(kind) ? flags | FrameFlag.ACK_REQUEST : flags;
        ring.publish(claimed, RingLayout.header(kind, asked, slots, descriptors), slots);
    }

    private boolean needsAcknowledgement(int kind) {
        boolean isDescribed = descriptors > 0;
        boolean isStaged = isDescribed && staging != null && !isPeerLocal;
        return isStaged || isDescribed && kind == FrameKind.READ || ring.needsAcknowledgement();
    }

    @Override
    public boolean tryRequestAcknowledgement() {
        if (!claimSlots(1)) {
            return false;
        }
        ring.publish(claimed, RingLayout.header(FrameKind.PAD, FrameFlag.ACK_REQUEST, 1, 0), 1);
        return true;
    }

    @Override
    public long position() {
        return ring.tail();
    }

    @Override
    public long acknowledged() {
        return ring.acknowledged();
    }

    @Override
    public boolean takeAcknowledgement() {
        return ring.acknowledge(Math.max(ring.acknowledgedAcquire(), noted));
    }

    @Override
    public boolean noteAcknowledgement(int carried) {
        long position = ring.expand(carried);
        if (position <= noted || position <= ring.acknowledged()) {
            return false;
        }
        noted = position;
        return true;
    }

    @Override
    public long refusalAcquire() {
        return ring.negativeAcquire();
    }

    @Override
    public void retry(int refusalNumber) {
        ring.rnrRetryRelease(refusalNumber);
    }

    @Override
    public boolean takeResults(ResultSink sink) {
        if (staging == null) {
            return true;
        }
        boolean isIntact = true;
        while (staging.isReleasable(ring.acknowledged())) {
            if (staging.headReadIndex() >= 0) {
                isIntact &=
                        sink.place(
                                staging.headReadIndex(),
                                staging.headReadOffset(),
                                staging.memory(),
                                staging.headOffset(),
                                staging.headLength());
            }
            staging.release();
        }
        return isIntact;
    }

    /** The responder left the bytes in the request's own slots. */
    @Override
    public boolean copyRead(long end, int length, ElementCursor to) {
        long frame = ring.slotAddress(end - RingLayout.slotsFor(length));
        return to.write(RawMemory.ALL, RawMemory.range(frame + RingLayout.PAYLOAD, length), length);
    }

    @Override
    public boolean copyAtomic(long end, ElementCursor to) {
        long result = ring.slotAddress(end - 1) + RingLayout.ATOMIC_RESULT;
        return to.write(RawMemory.ALL, RawMemory.range(result, Long.BYTES), Long.BYTES);
    }

    @Override
    public boolean mayPeerWrite() {
        return wire.mayPeerWrite();
    }

    @Override
    public boolean looksAnswered(long seenRefusal) {
        return ring.acknowledgedOpaque() > ring.acknowledged()
                || ring.negativeOpaque() != seenRefusal;
    }

    /** Gives back the staging memory; the peer may still be writing the results of reads there. */
    void releaseStaging() {
        if (staging != null) {
            stagings.giveBackWhenReleased(staging.block(), wire::isReleased);
            staging = null;
        }
    }
}
