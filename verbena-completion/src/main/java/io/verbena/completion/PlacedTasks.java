// SPDX-License-Identifier: Apache-2.0
package io.verbena.completion;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Tasks that wait for the end of a turn, in order. Added by its holder; taken by any thread, each
 * once.
 */
final class PlacedTasks {
    private static final int CAPACITY = 256;
    private static final int MASK = CAPACITY - 1;

    private final AtomicReferenceArray<Runnable> tasks = new AtomicReferenceArray<>(CAPACITY);
    private final AtomicLong taken = new AtomicLong();
    private volatile long added;

    /** {@return whether there was room} Inside the turn. */
    boolean tryAdd(Runnable task) {
        long place = added;
        if (tasks.getAcquire((int) place & MASK) != null) {
            return false;
        }
        tasks.setOpaque((int) place & MASK, task);
        // publishes the task
        added = place + 1;
        return true;
    }

    boolean isEmpty() {
        return taken.get() == added;
    }

    /** {@return the oldest task, or null if there is none} */
    Runnable poll() {
        while (true) {
            long place = taken.get();
            if (place == added) {
                return null;
            }
            Runnable task = tasks.getOpaque((int) place & MASK);
            if (taken.compareAndSet(place, place + 1)) {
                // only now is there room for another one, even for the same task again
                tasks.setRelease((int) place & MASK, null);
                return task;
            }
        }
    }
}
