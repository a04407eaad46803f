// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.memory.BlockPool;
import io.verbena.memory.IOBuf;

/**
 * Keeps posted data alive until its completion. A slot is filled inside the posting turn and
 * emptied by the dispatcher; the counters of {@link SendWindow} order the two.
 */
final class PostedSends {
    private final BlockPool pool;
    private IOBuf[] slots = {};

    PostedSends(BlockPool pool) {
        this.pool = pool;
    }

    /** Allocates the slots, before the first message. */
    void open(int capacity) {
        slots = new IOBuf[capacity];
    }

    /** {@return the empty slot of a message} Inside the turn. */
    IOBuf slot(long message) {
        int index = (int) (message % slots.length);
        IOBuf slot = slots[index];
        if (slot == null) {
            slot = pool.buffer();
            slots[index] = slot;
        }
        return slot;
    }

    /** Releases what messages held. Dispatcher. */
    void release(long first, int count) {
        for (long message = first; message < first + count; message++) {
            IOBuf slot = slots[(int) (message % slots.length)];
            if (slot != null) {
                slot.clear();
            }
        }
    }

    /** Releases everything; the device no longer reads any of it. */
    void close() {
        for (IOBuf slot : slots) {
            if (slot != null) {
                slot.close();
            }
        }
    }
}
