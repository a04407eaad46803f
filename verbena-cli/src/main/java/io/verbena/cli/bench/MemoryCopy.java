// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * What the machine can copy at best: one thread, blocks of 1 MiB from one area to another, rotating
 * over as much memory as the messages of a bandwidth test do.
 */
final class MemoryCopy implements AutoCloseable {
    private static final long BLOCK = 1L << 20;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment source;
    private final MemorySegment target;
    private long offset;

    MemoryCopy() {
        source = arena.allocate(Plan.WORKING_SET, 4096).fill((byte) 1);
        target = arena.allocate(Plan.WORKING_SET, 4096).fill((byte) 2);
    }

    /** {@return bytes per second over a number of blocks} */
    double bytesPerSecond(int blocks) {
        long start = System.nanoTime();
        for (int i = 0; i < blocks; i++) {
            copyBlock();
        }
        return blocks * BLOCK * 1e9 / Math.max(1, System.nanoTime() - start);
    }

    private void copyBlock() {
        MemorySegment.copy(source, offset, target, offset, BLOCK);
        offset = (offset + BLOCK) % Plan.WORKING_SET;
    }

    @Override
    public void close() {
        arena.close();
    }
}
