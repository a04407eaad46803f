// SPDX-License-Identifier: Apache-2.0

package io.verbena.examples;

/** How far sending has come in the write/read programs, counted in completions. */
enum SendState {
    /** Nothing was sent. */
    SS_INIT(0),
    /** The peer has this side's MSG_MR. */
    SS_MR_SENT(1),
    /** The write or read is over. */
    SS_RDMA_SENT(2),
    /** The peer has this side's MSG_DONE. */
    SS_DONE_SENT(3);

    private final int code;

    SendState(int code) {
        this.code = code;
    }

    /** {@return the number the programs print} */
    int code() {
        return code;
    }

    /** {@return the state after one more completion} */
    SendState next() {
        return switch (this) {
            case SS_INIT -> SS_MR_SENT;
            case SS_MR_SENT -> SS_RDMA_SENT;
            case SS_RDMA_SENT -> SS_DONE_SENT;
            case SS_DONE_SENT -> throw new ExampleException("completion of a send in " + this);
        };
    }

    /** {@return whether the write or read is over} */
    boolean hasTransferred() {
        return this == SS_RDMA_SENT || this == SS_DONE_SENT;
    }
}
