// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.verbs;

import java.util.Arrays;
import java.util.Locale;

/** What can be measured; the names are perftest's without their prefix. */
public enum TestKind {
    /** A message in each direction. */
    SEND_LAT("Send Latency Test", true, true),
    /** Messages. */
    SEND_BW("Send Bandwidth Test", false, true),
    /** A write in each direction. */
    WRITE_LAT("RDMA Write Latency Test", true, true),
    /** Writes. */
    WRITE_BW("RDMA Write Bandwidth Test", false, false),
    /** Reads, one at a time. */
    READ_LAT("RDMA Read Latency Test", true, false),
    /** Reads. */
    READ_BW("RDMA Read Bandwidth Test", false, false),
    /** Atomics, one at a time. */
    ATOMIC_LAT("Atomic Latency Test", true, false);

    private final String title;
    private final boolean latency;
    private final boolean serverWorks;

    TestKind(String title, boolean latency, boolean serverWorks) {
        this.title = title;
        this.latency = latency;
        this.serverWorks = serverWorks;
    }

    /**
     * {@return a test by its name}
     *
     * @param name its name on the command line
     * @throws IllegalArgumentException if there is none of that name
     */
    public static TestKind parse(String name) {
        for (TestKind kind : values()) {
            if (kind.id().equals(name)) {
                return kind;
            }
        }
        throw new IllegalArgumentException(
                "test: "
                        + name
                        + " (expected: one of "
                        + String.join(", ", Arrays.stream(values()).map(TestKind::id).toList())
                        + ")");
    }

    /** {@return the name on the command line} */
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    String title() {
        return title;
    }

    boolean isLatency() {
        return latency;
    }

    /** {@return whether the server's program takes part, rather than its device alone} */
    boolean serverWorks() {
        return serverWorks;
    }

    /**
     * {@return whether a sample is a message in each direction; perftest then reports half of it}
     */
    boolean isPingPong() {
        return latency && serverWorks;
    }

    /** {@return the message size if none is given} */
    public int defaultBytes() {
        if (this == ATOMIC_LAT) {
            return Long.BYTES;
        }
        return latency ? 8 : 64 << 10;
    }

    /**
     * {@return how many messages to measure if no number is given: enough for a p99.9 where
     * messages are short, a bounded number of bytes where they are long}
     */
    int defaultIterations(int bytes) {
        long budget = latency ? 1L << 30 : 4L << 30;
        int most = latency ? 100_000 : 2_000_000;
        return Math.clamp(budget / bytes, 1000, most);
    }
}
