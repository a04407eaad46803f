// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

/**
 * The wire between two queue pairs through memory that both can reach: the ring we send on, and the
 * ring we receive on once the peer has said where it is. Knows nothing about verbs.
 *
 * <p>Used inside the queue pair's turn; any thread may ask whether it is {@linkplain #isReleased
 * released}.
 */
final class RingWire {
    private final Peer peer;
    private final SharedBlock block;
    private final AttachMessage message;
    private final TransmitRing transmit;
    private final RingOutbound outbound;
    private RingInbound inbound;

    /**
     * Opens a wire: frames can be published from now on.
     *
     * @param peer the process at the other end
     * @param block where our ring will be
     * @param message what the peer must know about it
     * @param stagings provides staging memory for what the peer cannot reach
     */
    RingWire(Peer peer, SharedBlock block, AttachMessage message, SharedBlocks stagings) {
        this.peer = peer;
        this.block = block;
        this.message = message;
        this.transmit = new TransmitRing(block.memory(), block.offset(), message.nonce());
        this.outbound = new RingOutbound(this, transmit, peer, stagings);
    }

    Peer peer() {
        return peer;
    }

    AttachMessage message() {
        return message;
    }

    Outbound outbound() {
        return outbound;
    }

    /** {@return the incoming half; only when attached} */
    Inbound inbound() {
        return inbound;
    }

    /** {@return whether we know the peer's ring} */
    boolean isAttached() {
        return inbound != null;
    }

    /** {@return whether the peer has ever attached to our ring} */
    boolean wasTaken() {
        return transmit.wasAttached();
    }

    /**
     * Attaches to the peer's ring. Does nothing if the message is not for this wire, is invalid, or
     * comes from an earlier life of the peer's queue pair, whose ring is given up.
     *
     * @return whether it is attached now
     */
    boolean attach(AttachMessage theirs, Peer from) {
        if (!from.equals(peer) || message.to() != theirs.from()) {
            return false;
        }
        from.slab(theirs.segment())
                .filter(slab -> theirs.isPlausible(slab.byteSize()))
                .flatMap(slab -> ReceiveRing.attach(slab, theirs.base(), theirs.nonce()))
                .ifPresent(ring -> inbound = new RingInbound(ring, peer, theirs));
        return isAttached();
    }

    /** {@return the acknowledgement to send along with a frame} */
    int piggyback() {
        return inbound == null ? 0 : inbound.piggyback();
    }

    /** Rings for new requests, if the peer wants it. Only when attached, after publishing. */
    void ringForRequests() {
        inbound.ringForRequests();
    }

    /** Tells the peer whether to ring for requests. */
    void requestAttention(boolean isHot) {
        transmit.requestAttention(isHot);
    }

    /** Tells the peer whether to ring for acknowledgements. */
    void acknowledgeAttention(boolean isHot) {
        transmit.acknowledgeAttention(isHot);
    }

    /**
     * {@return whether the peer may still write into memory we described} Only after {@link
     * #close}.
     */
    boolean mayPeerWrite() {
        return transmit.isAnswering() && peer.isAlive();
    }

    /** Publishes nothing more: frames not yet executed are void, and their buffers may change. */
    void close() {
        transmit.closeVolatile();
    }

    /** Gives back the wire's memory, each piece once the peer has released it. */
    void giveBack(SharedBlocks slabs) {
        outbound.releaseStaging();
        slabs.giveBackWhenReleased(block, this::isReleased);
    }

    /** {@return whether the peer has released our ring or is dead; any thread} */
    boolean isReleased() {
        return transmit.isDetached() || !peer.isAlive();
    }

    @Override
    public String toString() {
        return "wire [" + transmit + "]";
    }
}
