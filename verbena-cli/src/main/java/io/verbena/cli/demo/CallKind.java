// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.demo;

/** The calls that the demonstration makes. */
enum CallKind {
    /** How long a small call takes. */
    ONE_SMALL("64 B, one at a time", 64, 0, 1),
    /** How many small calls there can be. */
    MANY_SMALL("64 B, 64 at a time", 64, 0, 64),
    /** How many bytes can be moved, there and back. */
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

    /** {@return how many bytes of the program's go in each direction with one call} */
    int bytes() {
        return messageBytes + attachmentBytes;
    }
}
