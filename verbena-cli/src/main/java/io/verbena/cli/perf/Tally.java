// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.perf;

import io.verbena.cli.proto.PerfTestResponse;
import java.util.concurrent.atomic.LongAdder;

/** What the calls of one run add up to. Any thread adds. */
final class Tally {
    private final LongAdder calls = new LongAdder();
    private final LatencyWindow latencies = new LatencyWindow();
    private final Average serverUse = new Average();
    private final Average clientUse = new Average();
    private final ProcessorUse processors = new ProcessorUse();

    /** The mean of numbers that come seldom. */
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
        calls.increment();
        latencies.record(latencyUs);
        if (!response.getCpuUsage().isEmpty()) {
            serverUse.add(percent(response.getCpuUsage()));
        }
        processors.sample().ifPresent(use -> clientUse.add(100 * use));
    }

    /** {@return the per cent of a peer's text; 0 if it is no number} */
    private static double percent(String text) {
        try {
            return 100 * Double.parseDouble(text);
        } catch (NumberFormatException _) {
            // as C's atof does
            return 0;
        }
    }

    long calls() {
        return calls.sum();
    }

    LatencyWindow latencies() {
        return latencies;
    }

    long serverUsePercent() {
        return serverUse.value();
    }

    long clientUsePercent() {
        return clientUse.value();
    }
}
