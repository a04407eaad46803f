// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import io.verbena.memory.BlockType;
import io.verbena.verbs.MemoryRegion;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Memory for the messages that one peer reads, in regions of its own: with the key of a message the
 * peer reaches nothing but what was, or will be, sent to it.
 *
 * <p>A region is filled from its start, and used again when all its messages are released, which
 * happens soon: peers acknowledge messages about in order. Regions grow with what the connection
 * has under way, and are kept while it lives, as far as {@link MessageMemory} has room for idle
 * ones.
 *
 * <p>Threads: any. No region is made or closed while the lock is held.
 */
final class OutgoingMemory {
    private static final int FIRST_BYTES = 8192;
    private static final int MOST_BYTES = 1 << 20;
    private static final int PAGE = 4096;
    private static final int ALIGNMENT = 64;

    /** A region with messages in it. Guarded by the lock. */
    private static final class Chunk {
        final MemoryRegion region;
        final int bytes;
        int used;
        int messages;

        Chunk(MemoryRegion region, int bytes) {
            this.region = region;
            this.bytes = bytes;
        }

        boolean isIdle() {
            return messages == 0;
        }

        boolean hasRoomFor(int length) {
            return bytes - used >= length;
        }
    }

    private final MessageMemory memory;
    private final ReentrantLock lock = new ReentrantLock();
    private final List<Chunk> chunks = new ArrayList<>();
    private long held;
    private boolean isClosed;

    OutgoingMemory(MessageMemory memory) {
        this.memory = memory;
    }

    /** {@return memory for a message that the peer will read, or nothing if there is none now} */
    Optional<Payload> tryAllocate(int length) {
        int chunkBytes;
        lock.lock();
        try {
            if (isClosed) {
                return Optional.empty();
            }
            for (Chunk chunk : chunks) {
                if (chunk.hasRoomFor(length)) {
                    return Optional.of(take(chunk, length));
                }
            }
            chunkBytes = chunkBytes(length);
        } finally {
            lock.unlock();
        }
        return memory.tryRegister(chunkBytes)
                .flatMap(region -> tryTakeFrom(new Chunk(region, chunkBytes), length));
    }

    /** {@return the size of the next region: about as much again as there is} */
    private int chunkBytes(int length) {
        long wanted = Math.max(length, Math.clamp(held, FIRST_BYTES, MOST_BYTES));
        return Math.toIntExact(wanted + PAGE - 1 & -PAGE);
    }

    private Optional<Payload> tryTakeFrom(Chunk added, int length) {
        lock.lock();
        try {
            if (!isClosed) {
                memory.remember(this);
                chunks.add(added);
                held += added.bytes;
                memory.onIdle(added.bytes);
                return Optional.of(take(added, length));
            }
        } finally {
            lock.unlock();
        }
        memory.giveBack(added.region);
        return Optional.empty();
    }

    private Payload take(Chunk chunk, int length) {
        if (chunk.isIdle()) {
            memory.onIdle(-chunk.bytes);
        }
        int at = chunk.used;
        chunk.used = Math.min(chunk.bytes, at + length + ALIGNMENT - 1 & -ALIGNMENT);
        chunk.messages++;
        memory.onMessages(1);
        return Payload.of(chunk.region, at, length, () -> release(chunk));
    }

    private void release(Chunk chunk) {
        memory.onMessages(-1);
        boolean isDropped = false;
        lock.lock();
        try {
            chunk.messages--;
            if (chunk.isIdle()) {
                chunk.used = 0;
                memory.onIdle(chunk.bytes);
                if (isClosed || chunk.bytes > BlockType.HUGE.bytes()) {
                    drop(chunk);
                    isDropped = true;
                }
            }
        } finally {
            lock.unlock();
        }
        if (isDropped) {
            memory.giveBack(chunk.region);
        }
    }

    private void drop(Chunk idle) {
        chunks.remove(idle);
        held -= idle.bytes;
        memory.onIdle(-idle.bytes);
    }

    /** Gives back the regions that hold no message. */
    void trim() {
        List<Chunk> idle;
        lock.lock();
        try {
            idle = chunks.stream().filter(Chunk::isIdle).toList();
            idle.forEach(this::drop);
        } finally {
            lock.unlock();
        }
        idle.forEach(chunk -> memory.giveBack(chunk.region));
    }

    /** Gives back all regions; one that holds a message, as soon as the message is released. */
    void close() {
        lock.lock();
        try {
            isClosed = true;
        } finally {
            lock.unlock();
        }
        memory.forget(this);
        trim();
    }
}
