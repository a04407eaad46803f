// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import java.lang.foreign.MemorySegment;

/**
 * The wire between a queue pair and its peer's: the ring we send on, the ring we receive on once
 * the peer has said where it is, and the bells at the far end. Immutable; knows nothing of verbs.
 *
 * @param peer the process at the other end
 * @param block where our ring is
 * @param transmit our ring, or null before there is one
 * @param message what the peer is told about it
 * @param receive the peer's ring, or null before it is attached
 * @param link what the peer told about it
 */
record Wire(
        Peer peer,
        SharedBlock block,
        TransmitRing transmit,
        AttachMessage message,
        ReceiveRing receive,
        AttachMessage link) {
    /** No wire. */
    static final Wire NONE = new Wire(null, null, null, null, null, null);

    boolean isOpen() {
        return transmit != null;
    }

    boolean isAttached() {
        return receive != null;
    }

    /**
     * {@return this wire, attached to the peer's ring; unchanged if the message is not for it,
     * makes no sense, or comes from an earlier life of the peer's queue pair, whose ring is given
     * up}
     */
    Wire attach(AttachMessage theirs, Peer from) {
        boolean isExpected = from.equals(peer) && message.to() == theirs.from();
        MemorySegment slab = isExpected ? from.slab(theirs.segment()) : null;
        if (slab == null || !theirs.isPlausible(slab.byteSize())) {
            return this;
        }
        ReceiveRing ring = ReceiveRing.attach(slab, theirs.base(), theirs.nonce());
        return ring == null ? this : new Wire(peer, block, transmit, message, ring, theirs);
    }

    /** Rings for new requests, if the peer wants it. Only when attached, after publishing. */
    void ringForRequests() {
        Fences.betweenStoreAndLook();
        if (receive.wantsRequestBell()) {
            peer.bells().ring(link.requestArea(), link.requestIndex());
        }
    }

    /** Rings for acknowledgements, if the peer wants it. Only when attached, after publishing. */
    void ringForAcknowledgements() {
        Fences.betweenStoreAndLook();
        if (receive.wantsAcknowledgeBell()) {
            peer.bells().ring(link.acknowledgeArea(), link.acknowledgeIndex());
        }
    }

    /** {@return whether the peer may still write into memory we described} */
    boolean mayPeerWrite() {
        return isAttached() && !transmit.isDetached() && peer.isAlive();
    }
}
