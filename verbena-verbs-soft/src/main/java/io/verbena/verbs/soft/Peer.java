// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** The process at the other end of queue pairs: its bells, its memory, and whether it is alive. */
interface Peer {
    /** {@return whether it is this same device, so that all registered memory can be reached} */
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
     * {@return a segment of the peer that holds rings, if it can be mapped} It stays mapped while
     * one of our queue pairs has joined the peer, whatever the peer says.
     */
    Optional<MemorySegment> slab(int id);

    /** Tells the peer where one of our queue pairs sends to one of the peer's. */
    void attach(AttachMessage message);

    /**
     * Asks the peer, which seems not to be ready, whether it has received everything sent so far.
     * {@link QueuePairEngine#onAnswer} is called once it has, and once everything it had sent has
     * arrived here. Called inside the turn.
     *
     * @param nonce identifies the life of the queue pair that asks
     */
    void doubt(QueuePairEngine pair, long nonce);

    /** Adds a queue pair to notify of the peer's death. */
    void join(QueuePairEngine pair);

    /** Forgets a queue pair. */
    void leave(QueuePairEngine pair);
}
