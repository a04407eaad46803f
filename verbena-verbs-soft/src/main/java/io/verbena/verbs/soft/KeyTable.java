// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.security.SecureRandom;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;

/**
 * Memory regions by key. Keys are 32 random bits, never 0. The chance that a stale or made-up key
 * matches is the number of live regions divided by about four billion.
 *
 * <p>Open addressing. Look-ups take no lock and may run concurrently with changes; a look-up that
 * starts after {@link #remove} returned does not find the region. The caller ensures that nobody
 * still uses it (see {@link SoftDevice#quiesce}).
 */
final class KeyTable<R> {
    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(Entry[].class);
    private static final Entry REMOVED = new Entry(0, null);
    private static final int FIRST_CAPACITY = 64;

    /** Compared by identity: {@link #REMOVED} is no ordinary entry. */
    private static final class Entry {
        private final int key;
        private final Object region;

        Entry(int key, Object region) {
            this.key = key;
            this.region = region;
        }
    }

    private final RandomGenerator random;
    private final ReentrantLock changes = new ReentrantLock();
    private volatile Entry[] entries = new Entry[FIRST_CAPACITY];
    private int used;
    private int live;

    KeyTable() {
        this(new SecureRandom());
    }

    KeyTable(RandomGenerator random) {
        this.random = random;
    }

    /** {@return the region with a key, or null} */
    @SuppressWarnings("unchecked") // only add puts regions in
    R find(int key) {
        Entry[] table = entries;
        int mask = table.length - 1;
        for (int i = key & mask; ; i = i + 1 & mask) {
            Entry entry = (Entry) SLOT.getAcquire(table, i);
            if (entry == null) {
                return null;
            }
            if (entry.key == key && entry != REMOVED) {
                return (R) entry.region;
            }
        }
    }

    /** {@return a fresh key, under which the region is found from now on} */
    int add(R region) {
        changes.lock();
        try {
            if (used * 2 >= entries.length) {
                rebuild();
            }
            int key = random.nextInt();
            while (key == 0 || find(key) != null) {
                key = random.nextInt();
            }
            insert(entries, new Entry(key, region));
            used++;
            live++;
            return key;
        } finally {
            changes.unlock();
        }
    }

    /** Forgets a key; does nothing if it is unknown. */
    void remove(int key) {
        changes.lock();
        try {
            Entry[] table = entries;
            int mask = table.length - 1;
            for (int i = key & mask; table[i] != null; i = i + 1 & mask) {
                if (table[i] != REMOVED && table[i].key == key) {
                    SLOT.setVolatile(table, i, REMOVED);
                    live--;
                    return;
                }
            }
        } finally {
            changes.unlock();
        }
    }

    int size() {
        changes.lock();
        try {
            return live;
        } finally {
            changes.unlock();
        }
    }

    private void rebuild() {
        int capacity = FIRST_CAPACITY;
        while (capacity < live * 4) {
            capacity *= 2;
        }
        Entry[] table = new Entry[capacity];
        for (Entry entry : entries) {
            if (entry != null && entry != REMOVED) {
                insert(table, entry);
            }
        }
        used = live;
        entries = table;
    }

    private static void insert(Entry[] table, Entry entry) {
        int mask = table.length - 1;
        int i = entry.key & mask;
        while (table[i] != null) {
            i = i + 1 & mask;
        }
        SLOT.setRelease(table, i, entry);
    }
}
