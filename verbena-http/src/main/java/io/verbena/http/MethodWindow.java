// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import io.verbena.rpc.spi.MethodStatus;
import java.util.ArrayDeque;
import java.util.Deque;
import org.HdrHistogram.Histogram;

/**
 * The last seconds of one method, like brpc's windows: samples of the past {@value #SECONDS}
 * seconds. One thread takes samples; any thread reads.
 */
final class MethodWindow {
    static final int SECONDS = 10;

    private static final double NANOS_PER_SECOND = 1e9;
    private static final Histogram NONE = new Histogram(2);

    /** The state after a second, and the latencies of that second. */
    private record Sample(long atNs, long count, long errors, Histogram latencies) {}

    private final MethodStatus status;
    private final Deque<Sample> samples = new ArrayDeque<>(SECONDS + 2);
    private volatile Recent recent = Recent.NOTHING;

    MethodWindow(MethodStatus status, long nowNs) {
        this.status = status;
        samples.add(new Sample(nowNs, status.count(), status.errors(), NONE));
    }

    /** {@return the window as of the last sample} */
    Recent recent() {
        return recent;
    }

    /** Takes a sample. One thread. */
    void sample(long nowNs) {
        Sample last = samples.getLast();
        long count = status.count();
        long errors = status.errors();
        boolean isIdle = count == last.count && errors == last.errors;
        samples.add(new Sample(nowNs, count, errors, isIdle ? NONE : status.takeLatencies()));
        if (samples.size() > SECONDS + 1) {
            samples.remove();
        }
        recent = summarise();
    }

    private Recent summarise() {
        Sample first = samples.getFirst();
        Sample last = samples.getLast();
        double seconds = (last.atNs - first.atNs) / NANOS_PER_SECOND;
        if (seconds <= 0 || last.count == first.count && last.errors == first.errors) {
            return Recent.NOTHING;
        }
        Histogram latencies = new Histogram(2);
        samples.stream().skip(1).forEach(sample -> latencies.add(sample.latencies));
        return new Recent(
                (last.count - first.count) / seconds,
                (last.errors - first.errors) / seconds,
                latencies);
    }
}
