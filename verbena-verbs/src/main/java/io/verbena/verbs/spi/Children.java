// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.spi;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The objects a parent has made that are still open. Closing the parent closes them in reverse
 * order. Thread-safe.
 */
public final class Children {
    private final ReentrantLock lock = new ReentrantLock();
    private final Set<AutoCloseable> children = new LinkedHashSet<>();
    private boolean isClosed;

    /** No children yet. */
    public Children() {}

    /**
     * {@return the child} If the parent was closed in the meantime, the child is closed too.
     *
     * @param child what was made
     * @param <T> its type
     * @throws IllegalStateException if the parent was closed
     */
    public <T extends AutoCloseable> T add(T child) {
        lock.lock();
        try {
            if (!isClosed) {
                children.add(child);
                return child;
            }
        } finally {
            lock.unlock();
        }
        closeEach(List.of(child));
        throw new IllegalStateException("the parent is closed");
    }

    /**
     * Forgets a child that was closed on its own.
     *
     * @param child what was closed
     */
    public void remove(AutoCloseable child) {
        lock.lock();
        try {
            children.remove(child);
        } finally {
            lock.unlock();
        }
    }

    /** Closes every child, the newest first; then throws the first failure, if any. */
    public void closeAll() {
        ArrayDeque<AutoCloseable> reversed = new ArrayDeque<>();
        lock.lock();
        try {
            isClosed = true;
            children.forEach(reversed::addFirst);
            children.clear();
        } finally {
            lock.unlock();
        }
        closeEach(reversed);
    }

    /**
     * Closes several groups of children in order; a failure does not stop the rest.
     *
     * @param generations the groups; objects come before those they use
     */
    public static void closeAll(Children... generations) {
        List<AutoCloseable> steps = new ArrayList<>();
        for (Children generation : generations) {
            steps.add(generation::closeAll);
        }
        closeEach(steps);
    }

    /** Closes all of them, then throws the first failure with the rest suppressed. */
    private static void closeEach(Collection<? extends AutoCloseable> closables) {
        RuntimeException first = null;
        for (AutoCloseable closable : closables) {
            try {
                closable.close();
            } catch (Exception e) {
                RuntimeException failure =
                        e instanceof RuntimeException unchecked
                                ? unchecked
                                : new IllegalStateException(closable + " could not be closed", e);
                if (first == null) {
                    first = failure;
                } else {
                    first.addSuppressed(failure);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
