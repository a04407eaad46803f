// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Watches blocks and buffers as closely as {@link LeakTracking} says. A buffer that is
 * garbage-collected while it holds references has lost them; it is counted and logged.
 */
final class LeakWatch {
    private final LeakTracking level;
    private final ReferenceQueue<IOBuf> collected = new ReferenceQueue<>();
    private final Set<WatchedBuffer> watched = ConcurrentHashMap.newKeySet();
    private final AtomicLong lost = new AtomicLong();

    /** Knows what a buffer holds without keeping the buffer alive. */
    private static final class WatchedBuffer extends PhantomReference<IOBuf> {
        private final Pieces pieces;
        private final BlockHistory history;

        WatchedBuffer(IOBuf buffer, ReferenceQueue<IOBuf> queue, BlockHistory history) {
            super(buffer, queue);
            this.pieces = buffer.chain().pieces();
            this.history = history;
        }
    }

    LeakWatch(LeakTracking level) {
        this.level = level;
    }

    boolean isOn() {
        return level != LeakTracking.DISABLED;
    }

    /** A block was handed out. */
    void onAllocate(Block block) {
        if (isChosen()) {
            block.watch(BlockHistory.begin(level.recordsUse()));
        }
    }

    /** A buffer was made. */
    void onCreate(IOBuf buffer) {
        poll();
        if (isChosen()) {
            watched.add(
                    new WatchedBuffer(buffer, collected, BlockHistory.begin(level.recordsUse())));
        }
    }

    /** {@return how many buffers were lost so far, as far as the collector has reported} */
    long lost() {
        poll();
        return lost.get();
    }

    private boolean isChosen() {
        int oneIn = level.oneIn();
        return oneIn == 1 || oneIn > 1 && ThreadLocalRandom.current().nextInt(oneIn) == 0;
    }

    private void poll() {
        Reference<? extends IOBuf> reference = collected.poll();
        while (reference != null) {
            report((WatchedBuffer) reference);
            reference = collected.poll();
        }
    }

    private void report(WatchedBuffer buffer) {
        watched.remove(buffer);
        int count = buffer.pieces.count();
        if (count == 0) {
            return;
        }
        lost.incrementAndGet();
        System.getLogger(LeakWatch.class.getName())
                .log(
                        System.Logger.Level.ERROR,
                        "LEAK: an IOBuf was garbage-collected with references to "
                                + count
                                + " pieces; close it when it is no longer needed\n"
                                + buffer.history);
    }
}
