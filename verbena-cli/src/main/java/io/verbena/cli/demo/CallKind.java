// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.demo;

/** The calls that the demonstration makes. */
enum CallKind {
    /** Measures the latency of a small call. */
    ONE_SMALL("64 B, 1 at a time", 64, 0, 1),
    /** Measures the rate of small calls. */
    MANY_SMALL("64 B, 64 at a time", 64, 0, 64),
    /** Measures throughput, in both directions. */
    LARGE("1 MiB, 4 at a time", 0, 1 << 20, 4);

    private final String label;
    private final int messageBytes;
    private final int attachmentBytes;
    private final int depth;

    CallKind(String label, int messageBytes, int attachmentBytes, int depth) {
        this.label = label;
        this.messageBytes = messageBytes;
        this.attachmentBytes = attachmentBytes;
        this.depth = depth;
    }

    String label() {
        return label;
    }

    int messageBytes() {
        return messageBytes;
    }

    int attachmentBytes() {
        return attachmentBytes;
    }

    /** {@return how many calls are under way} */
    int depth() {
        return depth;
    }

    /** {@return how many bytes of payload one call moves in each direction} */
    int bytes() {
        return messageBytes + attachmentBytes;
    }
}
