// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import io.verbena.rpc.spi.MethodStatus;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiFunction;

/** The figures of a method, by brpc's names. All pages use the same ones. */
enum MethodFigure {
    COUNT("calls that succeeded", true, (status, _) -> status.count()),
    ERROR("calls that failed", true, (status, _) -> status.errors()),
    REJECTED("calls the limiter rejected", true, (status, _) -> status.rejected()),
    QPS("successful calls per second", false, (_, recent) -> oneDigit(recent.qps())),
    EPS("failed calls per second", false, (_, recent) -> oneDigit(recent.eps())),
    CONCURRENCY("calls in progress", false, (status, _) -> status.concurrency()),
    MAX_CONCURRENCY("concurrency limit, 0 means none", false, (s, _) -> s.maxConcurrency()),
    LATENCY("average, us", false, (_, recent) -> recent.averageUs()),
    LATENCY_50("50 %, us", false, (_, recent) -> recent.percentileUs(50)),
    LATENCY_80("80 %, us", false, (_, recent) -> recent.percentileUs(80)),
    LATENCY_90("90 %, us", false, (_, recent) -> recent.percentileUs(90)),
    LATENCY_99("99 %, us", false, (_, recent) -> recent.percentileUs(99)),
    LATENCY_999("99.9 %, us", false, (_, recent) -> recent.percentileUs(99.9)),
    LATENCY_9999("99.99 %, us", false, (_, recent) -> recent.percentileUs(99.99)),
    MAX_LATENCY("longest, us", false, (_, recent) -> recent.maxUs());

    private final String label;
    private final boolean isCounter;

    @SuppressWarnings("ImmutableEnumChecker") // without state
    private final BiFunction<MethodStatus, Recent, Number> reader;

    MethodFigure(String label, boolean isCounter, BiFunction<MethodStatus, Recent, Number> reader) {
        this.label = label;
        this.isCounter = isCounter;
        this.reader = reader;
    }

    private static double oneDigit(double value) {
        return Math.round(value * 10) / 10.0;
    }

    String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    String label() {
        return label;
    }

    boolean isCounter() {
        return isCounter;
    }

    Number read(MethodStatus status, Recent recent) {
        return reader.apply(status, recent);
    }

    /** {@return all figures by their names} */
    static Map<String, Object> readAll(MethodStatus status, Recent recent) {
        Map<String, Object> values = new LinkedHashMap<>();
        for (MethodFigure figure : values()) {
            values.put(figure.id(), figure.read(status, recent));
        }
        return values;
    }
}
