// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.verbs;

import io.verbena.bench.measure.Lane;
import io.verbena.bench.measure.Measurement;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The machine's copy bandwidth: one thread, blocks of 1 MiB from one area to another, rotating over
 * as much memory as the messages of a bandwidth test do.
 */
final class MemoryCopy implements Lane {
    /** How many bytes are copied at a time. */
    static final long BLOCK = 1L << 20;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment source;
    private final MemorySegment target;
    private long offset;

    MemoryCopy() {
        source = arena.allocate(TestPlan.WORKING_SET, 4096).fill((byte) 1);
        target = arena.allocate(TestPlan.WORKING_SET, 4096).fill((byte) 2);
    }

    /** {@return how long a number of blocks took} */
    @Override
    public Measurement run(int blocks) {
        long start = System.nanoTime();
        for (int i = 0; i < blocks; i++) {
            copyBlock();
        }
        return Measurement.ofWhole(blocks, System.nanoTime() - start);
    }

    private void copyBlock() {
        MemorySegment.copy(source, offset, target, offset, BLOCK);
        offset = (offset + BLOCK) % TestPlan.WORKING_SET;
    }

    @Override
    public void close() {
        arena.close();
    }
}
