// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import io.verbena.memory.Block;
import io.verbena.memory.BlockType;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.ReceiveWorkRequest;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The posted receives of a connection: {@value #NATIVE_COUNT} for frames, or {@value #SEED_COUNT}
 * for control messages, or both if the socket offered frames and the peer knows only control
 * messages.
 *
 * <p>Threads: the holder of the loop's turn posts; the reader reads from slots that it was given.
 */
final class ReceiveSlots {
    static final int NATIVE_COUNT = 16;
    static final int NATIVE_BYTES = 4096;

    /** Receives that data never uses: there is always one for a message that returns credits. */
    static final int NATIVE_RESERVE = 2;

    /**
     * For the messages the peer may send, as many acknowledgements of this side's messages, and the
     * end.
     */
    static final int SEED_COUNT = 2 * Agreement.SEED_CREDITS + 2;

    private static final int SEED_BYTES = 64;

    private final QueuePair pair;
    private final ReceiveWorkRequest request;
    private final MessageMemory memory;
    private final long owner;
    private final List<Block> blocks = new ArrayList<>();
    private MemorySegment large = MemorySegment.NULL;
    private MemorySegment small = MemorySegment.NULL;
    private ByteBuffer bytes = ByteBuffer.allocate(0);
    private int largeKey;
    private int smallKey;

    ReceiveSlots(QueuePair pair, Requests requests, MessageMemory memory, long owner) {
        this.pair = pair;
        this.request = requests.receive;
        this.memory = memory;
        this.owner = owner;
    }

    static Greeting greeting() {
        return new Greeting(NATIVE_COUNT - NATIVE_RESERVE, NATIVE_BYTES);
    }

    void postForFrames() {
        Block block = take(BlockType.LARGE);
        large = block.memory();
        largeKey = (int) block.lkey();
        bytes = large.asByteBuffer();
        for (int slot = 0; slot < NATIVE_COUNT; slot++) {
            post(slot);
        }
    }

    void postForMetaData() {
        Block block = take(BlockType.DEFAULT);
        small = block.memory();
        smallKey = (int) block.lkey();
        for (int i = 0; i < SEED_COUNT; i++) {
            post(NATIVE_COUNT + i);
        }
    }

    private Block take(BlockType type) {
        Block block = memory.allocate(type);
        blocks.add(block);
        return block;
    }

    void post(int slot) {
        MemorySegment segment = segment(slot);
        boolean isLarge = slot < NATIVE_COUNT;
        request.id(WorkId.of(owner, WorkId.RECEIVE, slot))
                .elementCount(1)
                .element(0)
                .set(
                        segment.address() + offset(slot),
                        isLarge ? NATIVE_BYTES : SEED_BYTES,
                        isLarge ? largeKey : smallKey);
        if (pair.postReceive(request) != 1) {
            throw new IllegalStateException(
                    "receive queue: full (expected: room for slot " + slot + ")");
        }
    }

    /** {@return the memory a slot is in} */
    MemorySegment segment(int slot) {
        return slot < NATIVE_COUNT ? large : small;
    }

    /** {@return where in its memory a slot starts} */
    int offset(int slot) {
        return slot < NATIVE_COUNT ? slot * NATIVE_BYTES : (slot - NATIVE_COUNT) * SEED_BYTES;
    }

    /** {@return the memory of all slots for frames} */
    ByteBuffer bytes() {
        return bytes;
    }

    /** {@return the same memory} */
    MemorySegment frames() {
        return large;
    }

    /** Gives the memory back; nothing is posted any more, and nobody reads. */
    void release() {
        blocks.forEach(Block::release);
        blocks.clear();
    }
}
