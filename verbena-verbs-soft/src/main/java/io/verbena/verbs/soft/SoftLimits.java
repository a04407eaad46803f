// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

/** The limits the software device advertises and keeps. */
final class SoftLimits {
    static final long MAX_MESSAGE = 1L << 30;
    static final int MAX_INLINE = 256;
    static final int MAX_ELEMENTS = 32;
    static final int MAX_WORK_REQUESTS = 1 << 16;
    static final int MAX_COMPLETIONS = 1 << 20;
    static final int MAX_READ_ATOMIC = 128;
    static final int MAX_QUEUE_PAIRS = 1 << 16;
    static final int MAX_MEMORY_REGIONS = 1 << 20;
    static final int MAX_PROTECTION_DOMAINS = 1 << 16;

    private SoftLimits() {}
}
