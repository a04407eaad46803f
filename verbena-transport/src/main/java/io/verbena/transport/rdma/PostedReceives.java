// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.memory.Block;
import io.verbena.memory.BlockPool;
import io.verbena.memory.BlockPoolException;
import io.verbena.memory.BlockType;
import io.verbena.memory.BlockUse;
import io.verbena.memory.IOBuf;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.Optional;

/**
 * The blocks that are posted as receives, in order, and those that go back to the device next.
 *
 * <p>A message that is handed up without copying takes its block along, and another block is posted
 * in its place. If the pool has none, a receive is owed: its credit is not reported, so the peer
 * sends less, and a later {@link #repost} posts it.
 *
 * <p>Threads: {@link #fill} is called before the first completion, everything else by the
 * dispatcher.
 */
final class PostedReceives {
    private static final int FILL_BATCH = 32;

    private final BlockPool pool;
    private final BlockType type;
    private final QueuePairLease lease;
    private final long requestId;
    private final int zeroCopyAt;
    private final Block[] posted;
    private final Block[] spare;
    private long head;
    private long tail;
    private int spareCount;
    private int owedAfterData;
    private int owedAfterAcknowledgement;

    /**
     * Creates an empty ring.
     *
     * @param pool where blocks come from
     * @param lease the queue pair
     * @param size how many receives are posted
     * @param zeroCopyAt messages of at least this many bytes are handed up without copying
     */
    PostedReceives(BlockPool pool, QueuePairLease lease, int size, int zeroCopyAt) {
        this.pool = pool;
        this.type = pool.options().recvBlockType();
        this.lease = lease;
        this.requestId = lease.requestId(WorkRequestId.NO_DATA);
        this.zeroCopyAt = zeroCopyAt;
        this.posted = new Block[size];
        this.spare = new Block[size];
    }

    /** {@return the longest message that fits} */
    int blockSize() {
        return type.bytes();
    }

    /** Posts all receives. The queue pair is at least in INIT. */
    void fill() {
        if (!pool.hasRoomForReceives(type, posted.length)) {
            throw noRoom();
        }
        try (Arena arena = Arena.ofConfined()) {
            ReceiveBatch batch = new ReceiveBatch(arena, FILL_BATCH);
            owedAfterAcknowledgement = posted.length;
            repost(batch, true);
        }
        if (owedAfterAcknowledgement > 0) {
            throw noRoom();
        }
    }

    private TransportException noRoom() {
        return new TransportException(
                TransportError.ERDMAMEM,
                "no memory for the receives of another connection, rdma_rq_size: "
                        + posted.length
                        + " (expected: as many free "
                        + type.flagName()
                        + " blocks, and some for senders; raise rdma_memory_pool_increase_size_mb, or"
                        + " lower rdma_rq_size)");
    }

    /** Takes the message of the oldest receive: into the buffer, copied or with its block. */
    void take(int length, IOBuf received, CopyArea copies) {
        int index = (int) (head++ % posted.length);
        Block block = posted[index];
        posted[index] = null;
        if (length == 0) {
            spare[spareCount++] = block;
            owedAfterAcknowledgement++;
            return;
        }
        owedAfterData++;
        if (length < zeroCopyAt && copies.tryCopy(block, length, received)) {
            spare[spareCount++] = block;
        } else {
            received.append(block, 0, length);
        }
    }

    /** {@return whether receives were used and not yet reposted} */
    boolean owes() {
        return owedAfterData + owedAfterAcknowledgement > 0;
    }

    /** {@return how many receives have been posted since the beginning} */
    long total() {
        return tail;
    }

    /** {@return why there is no block to post; empty if there is one again} */
    Optional<BlockPoolException> shortage() {
        try {
            pool.allocate(type, BlockUse.SEND).release();
            return Optional.empty();
        } catch (BlockPoolException e) {
            return Optional.of(e);
        }
    }

    /**
     * Posts receives in place of those that were used, as many as there are blocks.
     *
     * @param mayUseReserve whether blocks may come from the pool's reserve
     * @return how many of them had carried data
     */
    int repost(ReceiveBatch batch, boolean mayUseReserve) {
        int wanted = owedAfterData + owedAfterAcknowledgement;
        if (wanted > spareCount) {
            BlockUse use = mayUseReserve ? BlockUse.RECEIVE : BlockUse.SEND;
            spareCount += pool.tryAllocate(type, use, spare, spareCount, wanted);
        }
        int done = Math.min(wanted, spareCount);
        try {
            for (int i = 0; i < done; i++) {
                add(spare[--spareCount], batch);
            }
            post(batch);
        } finally {
            batch.drop();
        }
        // acknowledgements first: their blocks are always there
        int acknowledgements = Math.min(done, owedAfterAcknowledgement);
        owedAfterAcknowledgement -= acknowledgements;
        owedAfterData -= done - acknowledgements;
        return done - acknowledgements;
    }

    private void add(Block block, ReceiveBatch batch) {
        posted[(int) (tail++ % posted.length)] = block;
        batch.add(requestId, block);
        if (batch.isFull()) {
            post(batch);
        }
    }

    private void post(ReceiveBatch batch) {
        if (!batch.post(lease.queuePair())) {
            throw new IllegalStateException("more receives than the queue pair has places");
        }
    }

    /** Gives back all blocks; the device no longer writes to any of them. */
    void close() {
        for (; spareCount > 0; spareCount--) {
            spare[spareCount - 1].release();
        }
        for (Block block : posted) {
            if (block != null) {
                block.release();
            }
        }
        Arrays.fill(posted, null);
        Arrays.fill(spare, null);
    }
}
