// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.memory.Block;
import io.verbena.memory.BlockPool;
import io.verbena.memory.BlockType;
import io.verbena.memory.BlockUse;
import io.verbena.memory.IOBuf;

/**
 * Where small messages are copied, so that each does not keep a whole block from the pool: the
 * messages of all connections of a dispatcher share one block, one after the other.
 */
final class CopyArea {
    private final BlockPool pool;
    private final Block[] block = new Block[1];
    private int room;

    CopyArea(BlockPool pool) {
        this.pool = pool;
    }

    /**
     * Copies the start of a block to the end of a buffer.
     *
     * @return false if there is no memory for it
     */
    boolean tryCopy(Block from, int length, IOBuf to) {
        if (length > room && !renew(length)) {
            return false;
        }
        Block target = block[0];
        int used = target.capacity() - room;
        from.copyTo(target, used, length);
        to.append(target.retain(), used, length);
        room -= length;
        return true;
    }

    private boolean renew(int length) {
        close();
        BlockType type = pool.options().recvBlockType();
        if (pool.tryAllocate(type, BlockUse.SEND, block, 0, 1) == 0) {
            return false;
        }
        room = type.bytes();
        return length <= room;
    }

    /** Releases the block; what was copied stays valid. */
    void close() {
        if (block[0] != null) {
            block[0].release();
            block[0] = null;
            room = 0;
        }
    }
}
