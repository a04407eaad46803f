// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import java.lang.foreign.MemorySegment;

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
     * {@return a segment of the peer that holds rings, or null if it cannot be mapped} It stays
     * mapped while a queue pair of ours has joined the peer, whatever the peer says.
     */
    MemorySegment slab(int id);

    /** Tells the peer where one of our queue pairs sends to one of its. */
    void attach(AttachMessage message);

    /** Adds a queue pair that must learn of the peer's death. */
    void join(QueuePairEngine pair);

    /** Forgets a queue pair. */
    void leave(QueuePairEngine pair);
}
