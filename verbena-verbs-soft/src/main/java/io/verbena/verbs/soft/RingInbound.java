// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

/**
 * The incoming half of a wire through shared memory: frames come from a {@link ReceiveRing}, and
 * answers are words in it. It also rings the peer's bells, because the peer says in its ring
 * whether it wants them.
 */
final class RingInbound implements Inbound {
    /** How many slots may be executed before an acknowledgement is sent unasked. */
    private static final int MAX_OWED = RingLayout.SLOTS / 4;

    private final ReceiveRing ring;
    private final RingFrame frame;
    private final Peer peer;
    private final AttachMessage link;
    private int refusals;
    private boolean isPaused;
    private boolean isAcknowledgeRequested;

    /**
     * @param link the peer's message about the ring and its bells
     */
    RingInbound(ReceiveRing ring, Peer peer, AttachMessage link) {
        this.ring = ring;
        this.frame = new RingFrame(peer);
        this.peer = peer;
        this.link = link;
    }

    @Override
    public InboundFrame frame() {
        return frame;
    }

    @Override
    public boolean pollFrame() {
        if (isPaused && ring.rnrRetryAcquire() != (refusals & 0xFFFF)) {
            return false;
        }
        isPaused = false;
        long word = ring.nextAcquire();
        if (word == 0) {
            return false;
        }
        frame.read(word, ring);
        return true;
    }

    @Override
    public void done() {
        isAcknowledgeRequested |= frame.has(FrameFlag.ACK_REQUEST);
        ring.advance(frame.slots());
    }

    /** {@return the acknowledgement to send along with a frame in the other direction} */
    int piggyback() {
        // if the peer waits for it, it is stored too: this frame may have to wait behind others
        return isAcknowledgeRequested ? (int) ring.head() : ring.piggyback();
    }

    @Override
    public void acknowledge(boolean isEager) {
        long owed = ring.unacknowledged();
        if (owed == 0 || !isEager && !isAcknowledgeRequested && owed < MAX_OWED) {
            return;
        }
        ring.acknowledgeRelease();
        ringIfAwaited();
    }

    private void ringIfAwaited() {
        if (isAcknowledgeRequested) {
            isAcknowledgeRequested = false;
            ringForAcknowledgements();
        }
    }

    @Override
    public void pause(int rnrTimer) {
        refuse(Syndrome.RNR | rnrTimer);
        isPaused = true;
        ringIfAwaited();
    }

    @Override
    public void refuse(int syndrome) {
        refusals++;
        isAcknowledgeRequested = true;
        ring.refuseRelease(refusals, syndrome);
    }

    @Override
    public boolean isGivenUp() {
        return ring.isClosedAfterCopy();
    }

    @Override
    public boolean tryBeginAnswer() {
        return ring.tryBeginAnswer();
    }

    @Override
    public void endAnswer() {
        ring.endAnswerRelease();
    }

    @Override
    public void detach() {
        ring.detachRelease();
        ringForAcknowledgements();
    }

    @Override
    public boolean looksReady() {
        return ring.looksReady() || ring.unacknowledged() > 0;
    }

    /** Rings for new requests, if the peer wants it. Only after publishing. */
    void ringForRequests() {
        Fences.betweenStoreAndLook();
        if (ring.wantsRequestBell()) {
            peer.bells().ring(link.requestArea(), link.requestIndex());
        }
    }

    /** Rings for acknowledgements, if the peer wants it. Only after publishing. */
    private void ringForAcknowledgements() {
        Fences.betweenStoreAndLook();
        if (ring.wantsAcknowledgeBell()) {
            peer.bells().ring(link.acknowledgeArea(), link.acknowledgeIndex());
        }
    }
}
