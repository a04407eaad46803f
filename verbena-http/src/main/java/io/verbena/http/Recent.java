// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import org.HdrHistogram.Histogram;

/**
 * What a method did in the last seconds.
 *
 * @param qps successful calls per second
 * @param eps failed calls per second
 * @param latencies the latencies of both in microseconds; no longer modified
 */
record Recent(double qps, double eps, Histogram latencies) {
    static final Recent NOTHING = new Recent(0, 0, new Histogram(2));

    long averageUs() {
        return latencies.getTotalCount() == 0 ? 0 : Math.round(latencies.getMean());
    }

    long percentileUs(double percentile) {
        return latencies.getTotalCount() == 0 ? 0 : latencies.getValueAtPercentile(percentile);
    }

    long maxUs() {
        return latencies.getTotalCount() == 0 ? 0 : latencies.getMaxValue();
    }
}
