// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import io.verbena.memory.Block;
import io.verbena.memory.BlockPool;
import io.verbena.memory.BlockPoolOptions;
import io.verbena.memory.BlockType;
import io.verbena.memory.BlockUse;
import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.VerbsException;
import java.util.Optional;

/**
 * The registered memory of a stack, in two pools: one that peers may read (and nobody may write),
 * and one that the device may write and no peer can reach. A message longer than a block gets a
 * region of its own.
 *
 * <p>Threads: any.
 */
final class MessageMemory implements AutoCloseable {
    private final ProtectionDomain domain;
    private final BlockPool readable;
    private final BlockPool local;

    MessageMemory(ProtectionDomain domain, BlockPoolOptions options) {
        this.domain = domain;
        this.readable = BlockPool.of(domain, options, AccessFlag.REMOTE_READ);
        this.local = BlockPool.of(domain, options);
    }

    /** {@return memory for a message that a peer will read, or nothing if there is none now} */
    Optional<Payload> tryOutgoing(int length) {
        return tryTake(readable, AccessFlag.REMOTE_READ, BlockUse.SEND, length);
    }

    /** {@return memory to read a message into, or nothing if there is none now} */
    Optional<Payload> tryIncoming(int length) {
        return tryTake(local, AccessFlag.LOCAL_WRITE, BlockUse.SEND, length);
    }

    /** {@return memory for receives or for frames to send; not for messages} */
    Block allocate(BlockType type) {
        return local.allocate(type, BlockUse.RECEIVE);
    }

    private Optional<Payload> tryTake(BlockPool pool, AccessFlag access, BlockUse use, int length) {
        if (length > BlockType.HUGE.bytes()) {
            return tryRegister(access, length);
        }
        Optional<Block> block = pool.tryAllocate(BlockType.forSize(length), use);
        return block.map(b -> Payload.of(b, length));
    }

    private Optional<Payload> tryRegister(AccessFlag access, int length) {
        MemoryRegion region;
        try {
            region = domain.allocate(length, access);
        } catch (VerbsException e) {
            // no memory now: the caller waits, as it would for a block
            return Optional.empty();
        }
        return Optional.of(Payload.of(region, length));
    }

    /** {@return how many blocks are in use} For tests. */
    int outstanding() {
        return readable.outstanding().size() + local.outstanding().size();
    }

    @Override
    public void close() {
        readable.close();
        local.close();
    }
}
