// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.perf;

import io.verbena.bench.measure.Tally;
import io.verbena.bench.proto.PerfTestResponse;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;

/** The results of the calls of one run, in microseconds. Any thread adds; one reads. */
final class PerfTally {
    /** As in brpc, latencies are those of the last ten seconds. */
    private static final int SECONDS = 10;

    private final Tally calls = Tally.ofLast(SECONDS);
    private final Average serverUse = new Average();
    private final Average clientUse = new Average();
    private final ProcessorUse processors = new ProcessorUse();

    /** The mean of values that are rarely added. */
    static final class Average {
        private final LongAdder sum = new LongAdder();
        private final LongAdder count = new LongAdder();

        void add(double value) {
            sum.add(Math.round(value));
            count.increment();
        }

        long value() {
            return count.sum() == 0 ? 0 : sum.sum() / count.sum();
        }
    }

    void onAnswer(long latencyUs, PerfTestResponse response) {
        calls.onAnswer(latencyUs);
        if (!response.getCpuUsage().isEmpty()) {
            serverUse.add(percent(response.getCpuUsage()));
        }
        processors.sample().ifPresent(use -> clientUse.add(100 * use));
    }

    /** {@return a peer's text as a percentage; 0 if it is not a number} */
    private static double percent(String text) {
        try {
            return 100 * Double.parseDouble(text);
        } catch (NumberFormatException _) {
            // as C's atof does
            return 0;
        }
    }

    /** A second is over. */
    void onSecond() {
        calls.takeInterval();
    }

    long calls() {
        return calls.answered();
    }

    /** {@return the latencies of the last completed seconds} */
    Histogram latencies() {
        return calls.sum();
    }

    long serverUsePercent() {
        return serverUse.value();
    }

    long clientUsePercent() {
        return clientUse.value();
    }
}
