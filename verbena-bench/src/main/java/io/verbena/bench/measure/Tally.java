// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.measure;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * The results of the calls of a run: how many were answered or failed, and a histogram of their
 * latencies, in the caller's unit. Any thread adds; one reads.
 */
public final class Tally {
    private static final int DIGITS = 3;

    private final Recorder recorder = new Recorder(DIGITS);
    private final int keptIntervals;
    private final Deque<Histogram> intervals = new ArrayDeque<>();
    private final Histogram sum = new Histogram(DIGITS);
    private final LongAdder answered = new LongAdder();
    private final Map<Integer, LongAdder> failures = new ConcurrentSkipListMap<>();

    private Tally(int keptIntervals) {
        this.keptIntervals = keptIntervals;
    }

    /** {@return a tally of a whole run} */
    public static Tally ofAll() {
        return new Tally(0);
    }

    /**
     * {@return a tally whose histogram covers the last intervals}
     *
     * @param intervals how many
     */
    public static Tally ofLast(int intervals) {
        return new Tally(intervals);
    }

    /**
     * A call was answered.
     *
     * @param took how long it took
     */
    public void onAnswer(long took) {
        answered.increment();
        recorder.recordValue(Math.max(0, took));
    }

    /**
     * A call failed.
     *
     * @param code why
     */
    public void onFailure(int code) {
        failures.computeIfAbsent(code, _ -> new LongAdder()).increment();
    }

    /** {@return how many calls were answered} */
    public long answered() {
        return answered.sum();
    }

    /** {@return how many calls failed} */
    public long failed() {
        return failures.values().stream().mapToLong(LongAdder::sum).sum();
    }

    /** {@return how many calls failed with each code; empty if none did} */
    public String failures() {
        return failures.entrySet().stream()
                .map(each -> each.getValue().sum() + " with E" + each.getKey())
                .collect(Collectors.joining(", "));
    }

    /** {@return the latencies of the interval that ends now} */
    public Histogram takeInterval() {
        Histogram interval = recorder.getIntervalHistogram();
        sum.add(interval);
        if (keptIntervals > 0) {
            intervals.addLast(interval);
            if (intervals.size() > keptIntervals) {
                sum.subtract(intervals.removeFirst());
            }
        }
        return interval;
    }

    /** {@return the latencies of the completed intervals that are kept} */
    public Histogram sum() {
        return sum;
    }
}
