// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import io.verbena.verbs.WorkCompletion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Native memory for the states of a test. JCStress makes millions of states and has no hook for
 * their end, so they take the blocks of one large segment in rotation: there are more blocks than
 * live states at any time.
 */
final class StressMemory {
    private static final int BLOCKS = 1 << 15;

    private static final ThreadLocal<WorkCompletion> CURSOR =
            ThreadLocal.withInitial(() -> WorkCompletion.allocate(Arena.global(), 1));

    private final MemorySegment memory;
    private final long bytes;
    private final AtomicInteger next = new AtomicInteger();

    StressMemory(long bytes) {
        this.bytes = bytes;
        this.memory = Arena.global().allocate(bytes * BLOCKS, 64);
    }

    /** {@return a cursor of this thread for one completion} */
    static WorkCompletion cursor() {
        return CURSOR.get();
    }

    /** {@return a zeroed block} */
    MemorySegment take() {
        int block = next.getAndIncrement() & BLOCKS - 1;
        return memory.asSlice(block * bytes, bytes, 64).fill((byte) 0);
    }
}
