// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What has arrived, in order. The holder of the loop's turn adds, the reader consumes.
 *
 * <p>Its entries are reused; {@link Intake} makes sure that there is always a free one.
 */
final class Inbox {
    static final int CAPACITY = 128;

    private static final VarHandle ADDED;
    private static final VarHandle CONSUMED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            ADDED = lookup.findVarHandle(Inbox.class, "added", long.class);
            CONSUMED = lookup.findVarHandle(Inbox.class, "consumed", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final InboxEntry[] entries = new InboxEntry[CAPACITY];
    private long added;
    private long consumed;

    Inbox() {
        for (int i = 0; i < CAPACITY; i++) {
            entries[i] = new InboxEntry();
        }
    }

    /** {@return an entry by its number} */
    InboxEntry entry(long number) {
        return entries[(int) number & CAPACITY - 1];
    }

    /** {@return the entry to fill next} Turn. */
    InboxEntry next() {
        return entry(added);
    }

    /** Publishes the entry that {@link #next} returned. Turn. */
    void addRelease() {
        ADDED.setRelease(this, added + 1);
    }

    /** {@return how many entries were ever added} Turn. */
    long added() {
        return added;
    }

    /** {@return how many entries were ever consumed; they may be filled again} */
    long consumedAcquire() {
        return (long) CONSUMED.getAcquire(this);
    }

    /** {@return whether everything added has been consumed} Reader. */
    boolean isEmpty() {
        return consumed == (long) ADDED.getAcquire(this);
    }

    /** {@return whether the oldest entry can be read} Reader. */
    boolean isReadable() {
        return !isEmpty() && head().isReady();
    }

    /** {@return the oldest entry} Reader, if not empty. */
    InboxEntry head() {
        return entry(consumed);
    }

    /** The reader is done with the oldest entry. */
    void consumeRelease() {
        CONSUMED.setRelease(this, consumed + 1);
    }
}
