// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** This device as its own peer: the wire inside one process. */
final class LocalPeer implements Peer {
    private final SoftDevice device;

    LocalPeer(SoftDevice device) {
        this.device = device;
    }

    @Override
    public boolean isLocal() {
        return true;
    }

    @Override
    public boolean isAlive() {
        return true;
    }

    @Override
    public Bells bells() {
        return device.bells();
    }

    @Override
    public boolean resolve(int id, long offset, int length, boolean write, MemorySlice slice) {
        if (length == 0) {
            slice.set(MemorySegment.NULL, 0);
            return true;
        }
        SoftMemoryRegion region = device.localKeys().find(id);
        return region != null && region.resolveLocal(offset, length, write, slice);
    }

    @Override
    public Optional<MemorySegment> slab(int id) {
        return device.segments().find(id);
    }

    @Override
    public void attach(AttachMessage message) {
        device.onAttach(message, this);
    }

    /** Nothing can be late here: messages to this peer are method calls. */
    @Override
    public void doubt(QueuePairEngine pair, long nonce) {
        device.runLater(() -> pair.onAnswer(nonce));
    }

    @Override
    public void join(QueuePairEngine pair) {
        // outlives every queue pair of the device
    }

    @Override
    public void leave(QueuePairEngine pair) {
        // outlives every queue pair of the device
    }
}
