// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** The process at the other end of queue pairs: its bells, its memory, and whether it lives. */
interface Peer {
    /** {@return whether it is this very device, so that all registered memory can be reached} */
    boolean isLocal();

    /** {@return whether it is alive as far as is known} */
    boolean isAlive();

    /** {@return its bells} */
    Bells bells();

    /**
     * Finds memory that a frame of this peer describes.
     *
     * @param id a segment number, or for the local peer a local key
     * @param offset inside the segment, or for the local peer an address
     * @return false if there is no such memory
     */
    boolean resolve(int id, long offset, int length, boolean write, MemorySlice slice);

    /**
     * {@return a segment of the peer that holds rings, if it can be mapped} It stays mapped while a
     * queue pair of ours has joined the peer, whatever the peer says.
     */
    Optional<MemorySegment> slab(int id);

    /** Tells the peer where one of our queue pairs sends to one of its. */
    void attach(AttachMessage message);

    /**
     * Asks whether it has heard all it was told so far, because it seems not to be ready: {@link
     * QueuePairEngine#onAnswer} is called later, once it has, and whatever it had told is known.
     * Called inside the turn.
     *
     * @param nonce which life of the queue pair asks
     */
    void doubt(QueuePairEngine pair, long nonce);

    /** Adds a queue pair that must learn of the peer's death. */
    void join(QueuePairEngine pair);

    /** Forgets a queue pair. */
    void leave(QueuePairEngine pair);
}
