// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.completion.Faults;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Endpoints that have something to post with the next pass: what several threads have written by
 * then travels together. Any thread may add and flush.
 */
final class FlushList {
    private static final VarHandle TOP;
    private static final VarHandle LISTED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            TOP = lookup.findVarHandle(FlushList.class, "top", Entry.class);
            LISTED = lookup.findVarHandle(Entry.class, "isListed", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** An endpoint's place in the list. */
    static final class Entry {
        private final Runnable post;
        private Entry next;

        @SuppressWarnings("unused") // accessed through LISTED
        private volatile boolean isListed;

        /**
         * The place of an endpoint.
         *
         * @param post posts what it has to send
         */
        Entry(Runnable post) {
            this.post = post;
        }
    }

    @SuppressWarnings("unused") // accessed through TOP
    private volatile Entry top;

    boolean isEmpty() {
        return top == null;
    }

    /** What was written before this call is posted by the next {@link #flush}. */
    void add(Entry entry) {
        if (entry.isListed || !LISTED.compareAndSet(entry, false, true)) {
            // not posted yet: whoever does so sees what was written before
            return;
        }
        Entry below;
        do {
            below = top;
            entry.next = below;
        } while (!TOP.compareAndSet(this, below, entry));
    }

    void flush() {
        if (top == null) {
            return;
        }
        Entry entry = (Entry) TOP.getAndSet(this, null);
        Throwable fault = null;
        while (entry != null) {
            Entry below = entry.next;
            entry.next = null;
            // a full fence before the post: what is written after it is listed again
            entry.isListed = false;
            fault = tryRun(entry, fault);
            entry = below;
        }
        if (fault != null) {
            Faults.warn(FlushList.class, "it could not be done", Thread.currentThread(), fault);
        }
    }

    /** {@return the first fault} The others must not be lost with one that fails. */
    private static Throwable tryRun(Entry entry, Throwable before) {
        try {
            entry.post.run();
            return before;
        } catch (Throwable e) {
            return before == null ? e : before;
        }
    }
}
