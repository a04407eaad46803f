// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

/** What a frame asks the responder to do. Numbers, because they travel in a frame's header. */
final class FrameKind {
    /** Nothing: it fills a gap, or only asks for an acknowledgement. */
    static final int PAD = 1;

    static final int SEND = 2;
    static final int WRITE = 3;
    static final int READ = 4;
    static final int COMPARE_AND_SWAP = 5;
    static final int FETCH_AND_ADD = 6;

    private FrameKind() {}

    static boolean isAtomic(int kind) {
        return kind >= COMPARE_AND_SWAP;
    }

    /** {@return the name of a kind, or its number if a peer made it up} */
    static String name(int kind) {
        return switch (kind) {
            case PAD -> "PAD";
            case SEND -> "SEND";
            case WRITE -> "WRITE";
            case READ -> "READ";
            case COMPARE_AND_SWAP -> "COMPARE_AND_SWAP";
            case FETCH_AND_ADD -> "FETCH_AND_ADD";
            default -> "kind " + kind;
        };
    }
}
