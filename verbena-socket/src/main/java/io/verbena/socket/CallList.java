// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Who wants to be looked at: any thread adds, one thread at a time takes all, in the order they
 * were added. Allocates nothing: an entry is in at most one list, at most once.
 *
 * @param <T> whose entries they are
 */
final class CallList<T> {
    /** A place in a list. */
    static final class Entry<T> {
        final T owner;
        private Entry<T> next;

        @SuppressWarnings("unused") // accessed through LISTED
        private volatile boolean isListed;

        Entry(T owner) {
            this.owner = owner;
        }
    }

    private static final VarHandle HEAD;
    private static final VarHandle LISTED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            HEAD = lookup.findVarHandle(CallList.class, "head", Entry.class);
            LISTED = lookup.findVarHandle(Entry.class, "isListed", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile Entry<T> head;

    /** Adds an entry; {@return false if it is in the list already} A full fence either way. */
    boolean add(Entry<T> entry) {
        if (!LISTED.compareAndSet(entry, false, true)) {
            return false;
        }
        Entry<T> first;
        do {
            first = head;
            entry.next = first;
        } while (!HEAD.compareAndSet(this, first, entry));
        return true;
    }

    boolean isEmpty() {
        return head == null;
    }

    /** {@return the first entry of all there are, to walk with {@link #remove}; may be null} */
    @SuppressWarnings("unchecked")
    Entry<T> takeAll() {
        Entry<T> reversed = null;
        Entry<T> entry = head == null ? null : (Entry<T>) HEAD.getAndSet(this, null);
        while (entry != null) {
            Entry<T> next = entry.next;
            entry.next = reversed;
            reversed = entry;
            entry = next;
        }
        return reversed;
    }

    /**
     * Takes an entry out of the chain of {@link #takeAll}; it may be added again from now on, and
     * what was done before that is seen by who looks after this call.
     *
     * @return the next one, may be null
     */
    Entry<T> remove(Entry<T> entry) {
        Entry<T> next = entry.next;
        entry.next = null;
        LISTED.setVolatile(entry, false);
        return next;
    }
}
