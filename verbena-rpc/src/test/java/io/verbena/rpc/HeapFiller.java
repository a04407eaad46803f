// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Takes all memory of the heap, in large pieces and then in ever smaller ones, and gives it back.
 */
final class HeapFiller {
    /** Several at once: what one of them leaves for a moment, another one takes. */
    private static final int THREADS = 3;

    private static final int LARGEST = 1 << 19;
    private static final int SHRINK = 16;
    private static final int SMALLEST = LARGEST / (SHRINK * SHRINK * SHRINK * SHRINK);
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(2);

    private final Thread[] threads = new Thread[THREADS];
    private volatile boolean isOver;
    private volatile boolean isFull;

    /** Starts to take what there is. */
    HeapFiller start() {
        for (int i = 0; i < THREADS; i++) {
            threads[i] = Thread.ofPlatform().daemon().name("filler-" + i).unstarted(this::fill);
        }
        for (Thread thread : threads) {
            thread.start();
        }
        return this;
    }

    /** {@return whether there was no room for even the smallest piece, at least once} */
    boolean isFull() {
        return isFull;
    }

    /** Gives back everything, and waits until that is done. */
    void stop() throws InterruptedException {
        isOver = true;
        for (Thread thread : threads) {
            thread.join();
        }
    }

    /** Uses nothing that must be made or loaded. */
    private void fill() {
        Object[] last = null;
        int size = LARGEST;
        while (!isOver) {
            try {
                Object[] piece = new Object[size];
                piece[0] = last;
                last = piece;
            } catch (OutOfMemoryError e) {
                if (size > SMALLEST) {
                    size /= SHRINK;
                } else {
                    isFull = true;
                    // each failure is a collection of the whole heap: others must get a turn, too
                    LockSupport.parkNanos(PAUSE_NS);
                }
            }
        }
    }
}
