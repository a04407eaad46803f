// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Decides which queue pairs of a completion queue run: a few <em>hot</em> ones, whose peers
 * therefore ring no bell, and those whose bell was rung. While the application polls, the queue is
 * <em>polled</em> and the background thread leaves it alone; when the application stops, or asks
 * for an event, the queue is handed over: no queue pair is hot, every peer rings, and the
 * background thread answers.
 *
 * <p>Threads: {@code sweep} is a flag that one thread at a time holds to take bells and to change
 * which queue pairs are hot; pollers that do not get it skip that work.
 */
final class PairScheduler {
    private static final int POLLS_TO_OWN = 64;

    private final Bells bells;
    private final long area;
    private final Background background;
    private final PairMembers members = new PairMembers();
    private final HotPairs hot = new HotPairs();
    private final AtomicBoolean sweep = new AtomicBoolean();
    private volatile boolean isPolled;
    private long polls;
    private long pollsWhenChecked;
    private int pollsSinceArmed;

    /**
     * @param area where the bells of this completion queue are
     */
    PairScheduler(Bells bells, long area, Background background) {
        this.bells = bells;
        this.area = area;
        this.background = background;
    }

    PairMembers members() {
        return members;
    }

    long area() {
        return area;
    }

    void countPoll() {
        polls++;
    }

    long polls() {
        return polls;
    }

    boolean isHot(QueuePairEngine pair) {
        return hot.contains(pair);
    }

    /** Runs the queue pairs that have something to do; called by a poll that found nothing. */
    void progress() {
        boolean isEager = !isPolled;
        runHot(isEager);
        if (isAnyMarked()) {
            trySweep();
        }
        if (isEager && ++pollsSinceArmed >= POLLS_TO_OWN) {
            own();
        }
    }

    private void runHot(boolean isEager) {
        QueuePairEngine[] pairs = hot.all();
        try {
            for (QueuePairEngine pair : pairs) {
                if (pair.work().looksReady()) {
                    pair.run(isEager);
                }
            }
            MemoryFault.surface();
        } catch (InternalError e) {
            // one of them has lost its peer's memory: the one whose turn fails for the same reason
            for (QueuePairEngine pair : pairs) {
                pair.run(isEager);
            }
        }
    }

    private boolean isAnyMarked() {
        int words = members.all().length + 4095 >>> 12;
        for (int word = 0; word < words; word++) {
            if (bells.summaryOpaque(area, word) != 0) {
                return true;
            }
        }
        return false;
    }

    private void trySweep() {
        if (sweep.compareAndSet(false, true)) {
            try {
                sweepMarked();
            } finally {
                sweep.setRelease(false);
            }
        }
    }

    private void enterSweep() {
        for (int tries = 0; !sweep.compareAndSet(false, true); tries++) {
            Backoff.pause(tries);
        }
    }

    private int sweepMarked() {
        int ran = 0;
        for (int word = 0; word < ControlLayout.SUMMARY_WORDS; word++) {
            if (bells.summaryOpaque(area, word) == 0) {
                continue;
            }
            long summary = bells.takeSummary(area, word);
            for (; summary != 0; summary &= summary - 1) {
                int leaf = (word << 6) + Long.numberOfTrailingZeros(summary);
                ran += sweepLeaf(leaf);
            }
        }
        return ran;
    }

    private int sweepLeaf(int leaf) {
        int ran = 0;
        long taken = bells.takeLeaf(area, leaf);
        // read after the bells, so that every queue pair that could have rung is in it
        QueuePairEngine[] all = members.all();
        for (long bits = taken; bits != 0; bits &= bits - 1) {
            int index = (leaf << 6) + Long.numberOfTrailingZeros(bits);
            QueuePairEngine pair = index < all.length ? all[index] : null;
            if (pair != null) {
                pair.run(!isPolled);
                ran++;
                if (isPolled) {
                    heat(pair);
                }
            }
        }
        return ran;
    }

    /** Lets pollers look at a queue pair directly, so that its peer need not ring. */
    private void heat(QueuePairEngine pair) {
        int place = hot.contains(pair) ? -1 : hot.placeFor(polls);
        if (place < 0) {
            return;
        }
        QueuePairEngine[] before;
        try {
            before = hot.put(place, pair, polls);
        } catch (OutOfMemoryError _) {
            // its peer goes on ringing; the bells that were taken with its own must not be lost
            return;
        }
        cool(before);
        pair.attention(this, true);
    }

    private void cool(QueuePairEngine[] pairs) {
        for (QueuePairEngine pair : pairs) {
            pair.attention(this, false);
        }
        // the frame of a peer that still saw "hot" is visible after this; the run below finds it
        Fences.afterAnnounce();
        for (QueuePairEngine pair : pairs) {
            pair.run(true);
        }
    }

    private void own() {
        enterSweep();
        try {
            isPolled = true;
            pollsWhenChecked = polls;
            bells.polledVolatile(area, true);
        } finally {
            sweep.setRelease(false);
        }
        background.watchPollers();
    }

    /** Hands the queue over to the background thread: the application will wait for an event. */
    void handOver() {
        if (isPolled) {
            disown();
        }
        pollsSinceArmed = 0;
    }

    private void disown() {
        enterSweep();
        try {
            if (!isPolled) {
                return;
            }
            isPolled = false;
            pollsSinceArmed = 0;
            QueuePairEngine[] cooled = hot.clear();
            bells.polledVolatile(area, false);
            cool(cooled);
            sweepMarked();
        } finally {
            sweep.setRelease(false);
        }
    }

    /** {@return whether the application polls, so that the background thread must watch it} */
    boolean isPolled() {
        return isPolled;
    }

    /** Background thread: takes over the queue if nobody has polled it since the last check. */
    boolean checkPoller() {
        if (!isPolled) {
            return false;
        }
        long now = polls;
        if (now == pollsWhenChecked) {
            disown();
            return false;
        }
        pollsWhenChecked = now;
        return true;
    }

    /** Background thread: makes the progress nobody else makes; {@return whether there was any} */
    boolean runInBackground() {
        if (isPolled || !isAnyMarked() || !sweep.compareAndSet(false, true)) {
            return false;
        }
        try {
            return sweepMarked() > 0;
        } finally {
            sweep.setRelease(false);
        }
    }

    /** Background thread: {@return whether there is work it should do before it sleeps} */
    boolean needsBackground() {
        return !isPolled && isAnyMarked();
    }

    /** Removes a queue pair whose turn is already closed. */
    void remove(QueuePairEngine pair, int index) {
        enterSweep();
        try {
            hot.remove(pair, polls);
        } finally {
            sweep.setRelease(false);
        }
        members.remove(index);
    }
}
