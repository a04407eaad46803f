// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.perf;

import java.util.ArrayDeque;
import java.util.Deque;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/** Latencies of the last ten seconds, in microseconds. Any thread records; one calls the rest. */
final class LatencyWindow {
    private static final int SECONDS = 10;
    private static final int DIGITS = 3;

    private final Recorder recorder = new Recorder(DIGITS);
    private final Deque<Histogram> seconds = new ArrayDeque<>();

    void record(long us) {
        recorder.recordValue(Math.max(0, us));
    }

    /** A second is over. */
    void onSecond() {
        seconds.addLast(recorder.getIntervalHistogram());
        if (seconds.size() > SECONDS) {
            seconds.removeFirst();
        }
    }

    /** {@return the seconds that are over} */
    Histogram merged() {
        Histogram sum = new Histogram(DIGITS);
        seconds.forEach(sum::add);
        return sum;
    }
}
