// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import java.util.Arrays;

/**
 * The few queue pairs whose rings pollers look at directly, so that their peers need not ring.
 * Changed by the thread that holds the scheduler's sweep flag; read by any thread.
 */
final class HotPairs {
    private static final int MAX = 4;
    private static final int POLLS_TO_COOL = 10_000;
    private static final QueuePairEngine[] NOBODY = {};

    private volatile QueuePairEngine[] pairs = NOBODY;
    private long[] since = {};

    /** {@return the hot queue pairs; the array is never changed} */
    QueuePairEngine[] all() {
        return pairs;
    }

    boolean contains(QueuePairEngine pair) {
        for (QueuePairEngine candidate : pairs) {
            if (candidate == pair) {
                return true;
            }
        }
        return false;
    }

    /** {@return a free place, or that of a queue pair that has been idle for long, or -1} */
    int placeFor(long polls) {
        QueuePairEngine[] now = pairs;
        if (now.length < MAX) {
            return now.length;
        }
        for (int i = 0; i < now.length; i++) {
            if (polls - Math.max(since[i], now[i].work().lastActive()) > POLLS_TO_COOL) {
                return i;
            }
        }
        return -1;
    }

    /** Puts a queue pair in a place; {@return the one that had it before, if any} */
    QueuePairEngine[] put(int place, QueuePairEngine pair, long polls) {
        QueuePairEngine[] now = pairs;
        // first all that takes memory: without it, nothing has changed
        QueuePairEngine[] replaced =
                place < now.length ? new QueuePairEngine[] {now[place]} : NOBODY;
        QueuePairEngine[] changed = Arrays.copyOf(now, Math.max(now.length, place + 1));
        long[] changedSince = Arrays.copyOf(since, changed.length);
        changed[place] = pair;
        changedSince[place] = polls;
        since = changedSince;
        pairs = changed;
        return replaced;
    }

    void remove(QueuePairEngine pair, long polls) {
        if (contains(pair)) {
            pairs =
                    Arrays.stream(pairs)
                            .filter(other -> other != pair)
                            .toArray(QueuePairEngine[]::new);
            since = new long[pairs.length];
            Arrays.fill(since, polls);
        }
    }

    /** Removes all; {@return those that were hot} */
    QueuePairEngine[] clear() {
        QueuePairEngine[] cooled = pairs;
        pairs = NOBODY;
        return cooled;
    }
}
