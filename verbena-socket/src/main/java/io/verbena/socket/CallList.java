// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;

/**
 * A list of objects that want attention: any thread adds, one thread at a time takes all, in the
 * order they were added. Allocates nothing: an entry is in at most one list, at most once.
 *
 * @param <T> the type of the owners
 */
final class CallList<T> {
    /** A place in a list. */
    static final class Entry<T> {
        private final T owner;
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

    /**
     * Takes all entries out and passes their owners to the action, oldest first. An entry may be
     * added again from just before its owner is passed on; the action sees everything that was done
     * before that point.
     *
     * @param action called on this thread
     * @return how many there were
     */
    int drain(Consumer<? super T> action) {
        int count = 0;
        Entry<T> entry = oldestFirst();
        while (entry != null) {
            Entry<T> next = entry.next;
            entry.next = null;
            LISTED.setVolatile(entry, false);
            action.accept(entry.owner);
            entry = next;
            count++;
        }
        return count;
    }

    /** Takes all entries out of the list; {@code null} ends their chain, as it does in the list. */
    @SuppressWarnings("unchecked")
    private Entry<T> oldestFirst() {
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
}
