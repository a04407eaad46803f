// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.demo;

import io.verbena.verbs.MemoryRegion;
import java.nio.ByteBuffer;

/**
 * Where the peer's memory is. Sent as the private data of the accept, so that the first one-sided
 * operation needs no message before it.
 *
 * @param targetAddress memory that may be written, and read back
 * @param targetRkey its key
 * @param sourceAddress memory that may be read: a known pattern
 * @param sourceRkey its key
 * @param counterAddress a counter that may be incremented
 * @param counterRkey its key
 */
record PeerRegions(
        long targetAddress,
        int targetRkey,
        long sourceAddress,
        int sourceRkey,
        long counterAddress,
        int counterRkey) {
    private static final int MAGIC = 0x5642444D;
    private static final int SIZE = Integer.BYTES + 3 * (Long.BYTES + Integer.BYTES);

    static PeerRegions of(MemoryRegion target, MemoryRegion source, MemoryRegion counter) {
        return new PeerRegions(
                target.address(),
                target.rkey(),
                source.address(),
                source.rkey(),
                counter.address(),
                counter.rkey());
    }

    byte[] toBytes() {
        return ByteBuffer.allocate(SIZE)
                .putInt(MAGIC)
                .putLong(targetAddress)
                .putInt(targetRkey)
                .putLong(sourceAddress)
                .putInt(sourceRkey)
                .putLong(counterAddress)
                .putInt(counterRkey)
                .array();
    }

    /**
     * {@return the regions that a peer sent}
     *
     * @param bytes the private data, which devices may pad
     */
    static PeerRegions parse(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        if (bytes.length < SIZE || buffer.getInt() != MAGIC) {
            throw new IllegalStateException(
                    "private data: "
                            + bytes.length
                            + " bytes (expected: "
                            + SIZE
                            + " of the demo's peer)");
        }
        return new PeerRegions(
                buffer.getLong(),
                buffer.getInt(),
                buffer.getLong(),
                buffer.getInt(),
                buffer.getLong(),
                buffer.getInt());
    }
}
