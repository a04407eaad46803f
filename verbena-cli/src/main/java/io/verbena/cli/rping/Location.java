// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.rping;

import io.verbena.tools.ToolException;
import io.verbena.verbs.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Locale;

/**
 * Where a side's data is; the only message of {@code rping}, {@code struct rping_rdma_info}.
 *
 * <pre>
 *  0         8      12       16
 *  | address | rkey | length |      big-endian
 * </pre>
 *
 * @param address its virtual address
 * @param rkey its remote key
 * @param length how many bytes
 */
record Location(long address, int rkey, int length) {
    /** The size on the wire. */
    static final int SIZE = 16;

    private static final long ADDRESS = 0;
    private static final long RKEY = 8;
    private static final long LENGTH = 12;
    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    /** What the server sends when the client may go on: its content is ignored. */
    static final Location NOWHERE = new Location(0, 0, 0);

    static Location of(MemoryRegion region) {
        return new Location(region.address(), region.rkey(), (int) region.length());
    }

    void write(MemorySegment memory) {
        memory.set(LONG, ADDRESS, address);
        memory.set(INT, RKEY, rkey);
        memory.set(INT, LENGTH, length);
    }

    /**
     * {@return the location in what a peer sent}
     *
     * @param memory the receive buffer
     * @param received how many bytes came
     * @throws ToolException if it is not a location
     */
    static Location read(MemorySegment memory, int received) {
        if (received != SIZE) {
            throw new ToolException(
                    "Received bogus data, size " + received + " (expected: " + SIZE + ")");
        }
        return new Location(
                memory.get(LONG, ADDRESS), memory.get(INT, RKEY), memory.get(INT, LENGTH));
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "rkey %x addr %x len %d",
                rkey,
                address,
                Integer.toUnsignedLong(length));
    }
}
