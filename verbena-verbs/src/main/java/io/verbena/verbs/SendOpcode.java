// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

/** What a send work request asks for; {@code ibv_wr_opcode}. */
public enum SendOpcode {
    /** Write to remote memory. */
    RDMA_WRITE(0),
    /** Write to remote memory and consume a remote receive with 32 bits of immediate data. */
    RDMA_WRITE_WITH_IMMEDIATE(1),
    /** Send into the buffer of a remote receive. */
    SEND(2),
    /** Send with 32 bits of immediate data. */
    SEND_WITH_IMMEDIATE(3),
    /** Read remote memory. */
    RDMA_READ(4),
    /**
     * Compare and swap eight aligned bytes of remote memory; the old value lands in the local
     * element.
     */
    COMPARE_AND_SWAP(5),
    /** Add to eight aligned bytes of remote memory; the old value lands in the local element. */
    FETCH_AND_ADD(6),
    /** A code this version does not know; {@link SendWorkRequest#opcodeCode} has the raw number. */
    UNRECOGNIZED(-1);

    private static final SendOpcode[] BY_CODE =
            CodeTable.index(values(), SendOpcode::code, UNRECOGNIZED, new SendOpcode[0]);

    private final int code;

    SendOpcode(int code) {
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
    public static SendOpcode of(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : UNRECOGNIZED;
    }
}
