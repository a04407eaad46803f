// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The address ranges that {@link RawMemory} may touch when its checks are on. A range is forgotten
 * once its memory is gone. Any thread; a check takes no lock and allocates nothing unless it fails.
 */
final class KnownRanges {
    private record Range(long start, long end, MemorySegment.Scope scope) {
        boolean covers(long address, long bytes) {
            return address >= start && address + bytes <= end && scope.isAlive();
        }
    }

    private final ReentrantLock changes = new ReentrantLock();
    private volatile Range[] sorted = {};

    /** Adds a part of a segment; it replaces a known range with the same start. */
    void add(MemorySegment segment, long offset, long bytes) {
        long start = segment.address() + offset;
        Range added = new Range(start, start + bytes, segment.asSlice(offset, bytes).scope());
        changes.lock();
        try {
            List<Range> ranges = new ArrayList<>(List.of(sorted));
            ranges.removeIf(known -> known.start == start || !known.scope.isAlive());
            ranges.add(added);
            ranges.sort(Comparator.comparingLong(Range::start));
            sorted = ranges.toArray(Range[]::new);
        } finally {
            changes.unlock();
        }
    }

    /**
     * Checks an access.
     *
     * @throws IndexOutOfBoundsException if no known range that is still alive holds all of it
     */
    void check(long address, long bytes) {
        Range[] ranges = sorted;
        int low = 0;
        int high = ranges.length - 1;
        while (low <= high) {
            int middle = low + high >>> 1;
            if (ranges[middle].start <= address) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        if (high < 0 || !ranges[high].covers(address, bytes)) {
            throw new IndexOutOfBoundsException(
                    String.format(
                            Locale.ROOT,
                            "address: 0x%x, %d bytes (expected: inside one of %d known ranges)",
                            address,
                            bytes,
                            ranges.length));
        }
    }
}
