// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Registered memory by address. A hash table over granules of 2 MiB, each with the ranges that
 * touch it, sorted: a lookup probes the table once and usually finds one range there, however many
 * regions and registrations there are.
 *
 * <p>Lookups take no lock and may run concurrently with changes. Ranges may overlap.
 */
final class RangeTable {
    /**
     * Registered memory.
     *
     * @param address its first byte
     * @param length how many bytes
     * @param lkey its local key
     */
    record Range(long address, long length, long lkey) {
        boolean contains(long from, long count) {
            long offset = from - address;
            return offset >= 0 && count <= length - offset;
        }
    }

    private static final int GRANULE_SHIFT = 21;
    private static final int FIRST_CAPACITY = 64;
    private static final Range[] NO_RANGES = {};
    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(Entry[].class);

    /** A granule and the ranges registered there; there may be none left. */
    private static final class Entry {
        private final long granule;
        private volatile Range[] ranges = NO_RANGES;

        Entry(long granule) {
            this.granule = granule;
        }
    }

    private final ReentrantLock changes = new ReentrantLock();
    private volatile Entry[] table = new Entry[FIRST_CAPACITY];
    private int entries;

    /**
     * {@return the local key of memory that covers all these bytes, or {@link
     * BlockPool#NOT_REGISTERED}}
     */
    long lkey(long address, long length) {
        Entry entry = find(table, address >>> GRANULE_SHIFT);
        if (entry == null) {
            return BlockPool.NOT_REGISTERED;
        }
        Range[] ranges = entry.ranges;
        for (int i = lastAtOrBefore(ranges, address); i >= 0; i--) {
            if (ranges[i].contains(address, length)) {
                return ranges[i].lkey();
            }
        }
        return BlockPool.NOT_REGISTERED;
    }

    private static int lastAtOrBefore(Range[] ranges, long address) {
        int low = 0;
        int high = ranges.length;
        while (low < high) {
            int middle = low + high >>> 1;
            if (ranges[middle].address() <= address) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low - 1;
    }

    void add(Range range) {
        changes.lock();
        try {
            for (long g = firstGranule(range); g <= lastGranule(range); g++) {
                Entry entry = findOrAdd(g);
                List<Range> ranges = new ArrayList<>(Arrays.asList(entry.ranges));
                ranges.add(range);
                ranges.sort(Comparator.comparingLong(Range::address));
                entry.ranges = ranges.toArray(NO_RANGES);
            }
        } finally {
            changes.unlock();
        }
    }

    /** Removes one range that is equal to this one. */
    void remove(Range range) {
        changes.lock();
        try {
            for (long g = firstGranule(range); g <= lastGranule(range); g++) {
                Entry entry = find(table, g);
                if (entry != null) {
                    List<Range> ranges = new ArrayList<>(Arrays.asList(entry.ranges));
                    ranges.remove(range);
                    entry.ranges = ranges.toArray(NO_RANGES);
                }
            }
        } finally {
            changes.unlock();
        }
    }

    private static long firstGranule(Range range) {
        return range.address() >>> GRANULE_SHIFT;
    }

    private static long lastGranule(Range range) {
        return range.address() + range.length() - 1 >>> GRANULE_SHIFT;
    }

    private static Entry find(Entry[] entries, long granule) {
        int mask = entries.length - 1;
        for (int i = slot(granule, mask); ; i = i + 1 & mask) {
            Entry entry = (Entry) SLOT.getAcquire(entries, i);
            if (entry == null || entry.granule == granule) {
                return entry;
            }
        }
    }

    /** Neighbours stay neighbours: a region fills a run of slots. */
    private static int slot(long granule, int mask) {
        return (int) (granule ^ granule >>> 16) & mask;
    }

    private Entry findOrAdd(long granule) {
        Entry entry = find(table, granule);
        if (entry == null) {
            if (++entries * 2 > table.length) {
                rebuild();
            }
            entry = new Entry(granule);
            insert(table, entry);
        }
        return entry;
    }

    /** Makes room, and drops granules where nothing is registered any more. */
    private void rebuild() {
        List<Entry> live = new ArrayList<>();
        for (Entry entry : table) {
            if (entry != null && entry.ranges.length > 0) {
                live.add(entry);
            }
        }
        int capacity = FIRST_CAPACITY;
        while (capacity < live.size() * 4) {
            capacity *= 2;
        }
        Entry[] wider = new Entry[capacity];
        live.forEach(entry -> insert(wider, entry));
        entries = live.size() + 1;
        table = wider;
    }

    private static void insert(Entry[] entries, Entry entry) {
        int mask = entries.length - 1;
        int i = slot(entry.granule, mask);
        while (entries[i] != null) {
            i = i + 1 & mask;
        }
        SLOT.setRelease(entries, i, entry);
    }
}
