// SPDX-License-Identifier: Apache-2.0
package io.verbena.testing;

import java.util.Optional;

/**
 * Runs something while there is no room in the heap for even the smallest object. For a JVM of its
 * own, with a small heap and no other thread that allocates.
 */
public final class FullHeap {
    private static final int LARGEST = 1 << 16;
    private static final int SHRINK = 16;

    /** Each round takes what the collections of the last one have found. */
    private static final int ROUNDS = 3;

    /** The smallest object that can hold on to another one. */
    private static final class Link {
        @SuppressWarnings("unused") // keeps it
        private final Link next;

        Link(Link next) {
            this.next = next;
        }
    }

    private static Object[] arrays;
    private static Link links;

    private FullHeap() {}

    /**
     * {@return what the task has thrown}
     *
     * @param task what to do without any memory
     */
    public static Optional<Throwable> run(Runnable task) {
        // once before: what this uses itself must be there
        links = new Link(null);
        fillWith(LARGEST);
        empty();
        Throwable fault = null;
        try {
            fill();
            task.run();
        } catch (Throwable e) {
            fault = e;
        } finally {
            empty();
        }
        return Optional.ofNullable(fault);
    }

    /** Takes what others have given back meanwhile. Inside {@link #run}. */
    public static void fill() {
        for (int round = 0; round < ROUNDS; round++) {
            for (int size = LARGEST; size > 1; size /= SHRINK) {
                fillWith(size);
            }
            fillWith(0);
        }
    }

    /** Until there is no room for another array of this size; 0 means links. */
    private static void fillWith(int size) {
        try {
            while (true) {
                if (size == 0) {
                    links = new Link(links);
                } else {
                    Object[] array = new Object[size];
                    array[0] = arrays;
                    arrays = array;
                }
            }
        } catch (OutOfMemoryError e) {
            // that is what was wanted
        }
    }

    private static void empty() {
        arrays = null;
        links = null;
    }
}
