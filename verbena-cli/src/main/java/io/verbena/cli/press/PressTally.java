// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.press;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/** How the calls went. Any thread adds; one reads. */
final class PressTally {
    private static final int DIGITS = 3;

    private final Recorder recorder = new Recorder(DIGITS);
    private final Histogram sum = new Histogram(DIGITS);
    private final LongAdder answered = new LongAdder();
    private final Map<Integer, LongAdder> failures = new ConcurrentSkipListMap<>();

    void onAnswer(long sinceDueNs) {
        answered.increment();
        recorder.recordValue(Math.max(0, sinceDueNs));
    }

    void onFailure(int code) {
        failures.computeIfAbsent(code, _ -> new LongAdder()).increment();
    }

    long answered() {
        return answered.sum();
    }

    long failed() {
        return failures.values().stream().mapToLong(LongAdder::sum).sum();
    }

    /** {@return how many calls failed with each code; empty if none did} */
    String failures() {
        return failures.entrySet().stream()
                .map(each -> each.getValue().sum() + " with E" + each.getKey())
                .collect(Collectors.joining(", "));
    }

    /** {@return the latencies since the last call of this method, in nanoseconds} */
    Histogram takeInterval() {
        Histogram interval = recorder.getIntervalHistogram();
        sum.add(interval);
        return interval;
    }

    /** {@return the latencies of all intervals that were taken} */
    Histogram sum() {
        return sum;
    }
}
