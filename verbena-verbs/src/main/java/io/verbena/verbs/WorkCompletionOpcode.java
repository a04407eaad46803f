// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

/** What kind of work request completed; {@code ibv_wc_opcode}. */
public enum WorkCompletionOpcode {
    /** A send, with or without immediate data. */
    SEND(0),
    /** An RDMA write, with or without immediate data. */
    RDMA_WRITE(1),
    /** An RDMA read. */
    RDMA_READ(2),
    /** An atomic compare and swap. */
    COMPARE_AND_SWAP(3),
    /** An atomic fetch and add. */
    FETCH_AND_ADD(4),
    /** A memory window bind. */
    BIND_MEMORY_WINDOW(5),
    /** A local invalidate. */
    LOCAL_INVALIDATE(6),
    /** A receive consumed by a send. */
    RECEIVE(128),
    /** A receive consumed by an RDMA write with immediate data. */
    RECEIVE_RDMA_WITH_IMMEDIATE(129),
    /** A code this version does not know; {@link WorkCompletion#opcodeCode} has the raw number. */
    UNRECOGNIZED(-1);

    private static final WorkCompletionOpcode[] BY_CODE =
            CodeTable.index(
                    values(),
                    WorkCompletionOpcode::code,
                    UNRECOGNIZED,
                    new WorkCompletionOpcode[0]);

    private final int code;

    WorkCompletionOpcode(int code) {
        this.code = code;
    }

    /** {@return the number libibverbs uses} */
    public int code() {
        return code;
    }

    /**
     * {@return the constant for a code, {@link #UNRECOGNIZED} if there is none}
     *
     * @param code a number from a driver or a peer
     */
    public static WorkCompletionOpcode of(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : UNRECOGNIZED;
    }

    /** {@return whether this is the completion of a posted receive} */
    public boolean isReceive() {
        return (code & 128) != 0 && this != UNRECOGNIZED;
    }
}
