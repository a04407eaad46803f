// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

/** Flags of a frame: bits in its header. */
final class FrameFlag {
    /** The first frame of a message. */
    static final int FIRST = 1;

    /** The last frame of a message. */
    static final int LAST = 2;

    /** The message carries immediate data, which consumes a receive. */
    static final int IMMEDIATE = 4;

    /** The receiver's completion wakes a thread that waits for solicited completions only. */
    static final int SOLICITED = 8;

    /** The sender waits for the acknowledgement: publish it now and ring for it. */
    static final int ACK_REQUEST = 16;

    private FrameFlag() {}
}
