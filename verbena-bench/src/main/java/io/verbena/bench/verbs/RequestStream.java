// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.verbs;

import io.verbena.bench.measure.Measurement;
import java.util.Arrays;

/**
 * The client of a bandwidth test: keeps as many requests outstanding as the depth allows. One
 * request in a quarter of the depth is signaled. Two clock readings are taken per signaled request,
 * when it is posted and when its completion is seen.
 */
final class RequestStream {
    private final Completions completions;
    private final Outgoing outgoing;
    private final int depth;

    RequestStream(SizedPair pair, Outgoing outgoing) {
        this.completions = pair.completions();
        this.outgoing = outgoing;
        this.depth = pair.station().plan().txDepth();
    }

    /** {@return how long a number of messages took} */
    Measurement run(int messages) {
        int most = messages / outgoing.interval() + 2;
        long[] postedNs = new long[most];
        long[] doneNs = new long[most];
        long[] number = new long[most];
        long base = outgoing.posted();
        long end = base + messages;
        long start = System.nanoTime();
        int signals = 0;
        int done = 0;
        int spins = 0;
        long deadline = 0;
        while (completions.sent() < end) {
            long limit = Math.min(end, Math.max(base, completions.sent()) + depth);
            while (outgoing.posted() < limit) {
                if (outgoing.post(outgoing.posted() + 1 == end)) {
                    postedNs[signals] = System.nanoTime();
                    number[signals++] = outgoing.posted();
                }
            }
            outgoing.flush();
            if (completions.poll() > 0) {
                deadline = 0;
            } else if ((++spins & StallCheck.SPINS) == 0 || completions.sleeps()) {
                deadline = completions.idle(deadline);
            }
            // Asked even if this poll found nothing: waiting, here or in a post, takes completions.
            if (done < signals && number[done] <= completions.sent()) {
                long now = System.nanoTime();
                while (done < signals && number[done] <= completions.sent()) {
                    doneNs[done++] = now;
                }
            }
        }
        long elapsed = Math.max(1, doneNs[done - 1] - start);
        return summary(Arrays.copyOf(postedNs, done), doneNs, number, messages, elapsed);
    }

    private Measurement summary(
            long[] postedNs, long[] doneNs, long[] number, int messages, long elapsed) {
        int count = postedNs.length;
        long[] durations = new long[count];
        double peak = messages * 1e9 / elapsed;
        int window = Math.max(1, depth / outgoing.interval());
        for (int i = 0; i < count; i++) {
            durations[i] = Math.max(0, doneNs[i] - postedNs[i]);
            if (i + window < count) {
                // All of these were posted after the first time and done before the second.
                long moved = number[i + window] - number[i];
                peak = Math.max(peak, moved * 1e9 / Math.max(1, doneNs[i + window] - postedNs[i]));
            }
        }
        Arrays.sort(durations);
        return new Measurement(durations, messages, elapsed, peak);
    }
}
