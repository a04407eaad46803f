// SPDX-License-Identifier: Apache-2.0
package io.verbena.micrometer;

import com.google.protobuf.Descriptors.MethodDescriptor;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * The meters of one method on one side. The timers of successful calls are at hand, so that such
 * calls allocate nothing. Any thread.
 */
final class MethodMeters {
    private final MeterRegistry registry;
    private final String prefix;
    private final Tags tags;
    private final Timer overRdma;
    private final Timer overTcp;
    private final Map<Integer, Timer> failures = new ConcurrentHashMap<>();
    private final LongAdder active = new LongAdder();

    MethodMeters(MeterRegistry registry, String side, MethodDescriptor method) {
        this.registry = registry;
        this.prefix = "verbena." + side;
        this.tags =
                Tags.of("service", method.getService().getFullName(), "method", method.getName());
        this.overRdma = timer(0, true);
        this.overTcp = timer(0, false);
        Gauge.builder(prefix + ".calls.active", active, LongAdder::sum)
                .description("calls under way")
                .tags(tags)
                .register(registry);
    }

    private Timer timer(int code, boolean isRdma) {
        return Timer.builder(prefix + ".calls")
                .description("calls that are over")
                .tags(tags)
                .tag("code", String.valueOf(code))
                .tag("transport", isRdma ? "rdma" : "tcp")
                .publishPercentileHistogram()
                .register(registry);
    }

    void begin() {
        active.increment();
    }

    void end(int code, boolean isRdma, long latencyNs) {
        active.decrement();
        Timer timer = isRdma ? overRdma : overTcp;
        if (code != 0) {
            int key = isRdma ? code : -code;
            timer = failures.computeIfAbsent(key, k -> timer(code, isRdma));
        }
        timer.record(latencyNs, TimeUnit.NANOSECONDS);
    }

    void retried(int count, boolean hasBackup) {
        int backups = hasBackup ? 1 : 0;
        counter("retries").increment(count - backups);
        counter("backups").increment(backups);
    }

    private Counter counter(String name) {
        return Counter.builder(prefix + "." + name).tags(tags).register(registry);
    }
}
