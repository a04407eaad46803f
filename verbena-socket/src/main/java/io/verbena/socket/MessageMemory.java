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
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The registered memory of a stack: a pool that the device may write and no peer can reach, and the
 * regions that peers may read, which each connection has for itself ({@link OutgoingMemory}). A
 * message longer than a block gets a region of its own.
 *
 * <p>Threads: any.
 */
final class MessageMemory implements AutoCloseable {
    /** How much memory connections may keep for their next messages, all together. */
    private static final long MAX_IDLE_BYTES = 64L << 20;

    private final ProtectionDomain domain;
    private final BlockPool local;
    private final long maxReadableBytes;
    private final Set<OutgoingMemory> connections = ConcurrentHashMap.newKeySet();
    private final AtomicLong readableBytes = new AtomicLong();
    private final AtomicLong idleBytes = new AtomicLong();
    private final AtomicInteger messages = new AtomicInteger();

    MessageMemory(ProtectionDomain domain, BlockPoolOptions options) {
        this.domain = domain;
        this.local = BlockPool.of(domain, options);
        this.maxReadableBytes = ((long) options.maxRegions() * options.increaseSizeMb()) << 20;
    }

    /** A connection has regions from now on. */
    void remember(OutgoingMemory used) {
        connections.add(used);
    }

    /** A connection has ended. */
    void forget(OutgoingMemory closed) {
        connections.remove(closed);
    }

    /** {@return a region that the peer may read, or nothing if there is no memory now} */
    Optional<MemoryRegion> tryRegister(int bytes) {
        if (idleBytes.get() > MAX_IDLE_BYTES || readableBytes.get() + bytes > maxReadableBytes) {
            connections.forEach(OutgoingMemory::trim);
        }
        if (readableBytes.addAndGet(bytes) > maxReadableBytes) {
            readableBytes.addAndGet(-bytes);
            return Optional.empty();
        }
        Optional<MemoryRegion> region = tryRegister(AccessFlag.REMOTE_READ, bytes);
        if (region.isEmpty()) {
            readableBytes.addAndGet(-bytes);
        }
        return region;
    }

    /** Takes back what {@link #tryRegister(int)} gave. */
    void giveBack(MemoryRegion region) {
        readableBytes.addAndGet(-region.length());
        region.close();
    }

    /** More memory of connections is kept for later, or less. */
    void onIdle(int bytes) {
        idleBytes.addAndGet(bytes);
    }

    /** More messages are on their way to be read, or fewer. */
    void onMessages(int count) {
        messages.addAndGet(count);
    }

    /** {@return memory to read a message into, or nothing if there is none now} */
    Optional<Payload> tryIncoming(int length) {
        if (length > BlockType.HUGE.bytes()) {
            return tryRegister(AccessFlag.LOCAL_WRITE, length)
                    .map(region -> Payload.of(region, 0, length, region::close));
        }
        return local.tryAllocate(BlockType.forSize(length), BlockUse.SEND)
                .map(block -> Payload.of(block, length));
    }

    /** {@return memory for receives or for frames to send; not for messages} */
    Block allocate(BlockType type) {
        return local.allocate(type, BlockUse.RECEIVE);
    }

    private Optional<MemoryRegion> tryRegister(AccessFlag access, long length) {
        try {
            return Optional.of(domain.allocate(length, access));
        } catch (VerbsException e) {
            // no memory now: the caller waits, as it would for a block
            return Optional.empty();
        }
    }

    /** {@return how many blocks and messages are in use} For tests. */
    int outstanding() {
        return messages.get() + local.outstanding().size();
    }

    /** {@return the bytes that peers may read} For tests. */
    long readableBytes() {
        return readableBytes.get();
    }

    @Override
    public void close() {
        connections.forEach(OutgoingMemory::close);
        local.close();
    }
}
