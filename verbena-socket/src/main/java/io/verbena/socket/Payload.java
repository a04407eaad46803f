// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import io.verbena.memory.Block;
import io.verbena.verbs.MemoryRegion;
import java.lang.foreign.MemorySegment;

/** Registered memory that holds one message. Its holder releases it, once. */
final class Payload {
    /** An empty message: no buffer, address 0. */
    static final Payload EMPTY = new Payload(MemorySegment.NULL, 0, 0, 0, () -> {});

    private final MemorySegment memory;
    private final int length;
    private final int lkey;
    private final int rkey;
    private final Runnable onRelease;

    private Payload(MemorySegment memory, int length, int lkey, int rkey, Runnable onRelease) {
        this.memory = memory;
        this.length = length;
        this.lkey = lkey;
        this.rkey = rkey;
        this.onRelease = onRelease;
    }

    static Payload of(Block block, int length) {
        return new Payload(
                block.memory(), length, (int) block.lkey(), block.rkey(), block::release);
    }

    static Payload of(MemoryRegion region, int offset, int length, Runnable onRelease) {
        return new Payload(
                region.memory().asSlice(offset, length),
                length,
                region.lkey(),
                region.rkey(),
                onRelease);
    }

    /** {@return at least {@link #length} bytes} */
    MemorySegment memory() {
        return memory;
    }

    long address() {
        return memory.address();
    }

    int length() {
        return length;
    }

    int lkey() {
        return lkey;
    }

    int rkey() {
        return rkey;
    }

    void release() {
        onRelease.run();
    }
}
