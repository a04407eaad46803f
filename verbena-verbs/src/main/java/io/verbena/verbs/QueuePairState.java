// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

/** The states of a queue pair; {@code ibv_qp_state}. */
public enum QueuePairState {
    /** Newly created; nothing may be posted. */
    RESET(0),
    /** Bound to a port; receives may be posted. */
    INIT(1),
    /** Knows its peer; incoming requests are served; {@code IBV_QPS_RTR}. */
    READY_TO_RECEIVE(2),
    /** Fully working; {@code IBV_QPS_RTS}. */
    READY_TO_SEND(3),
    /** Posted sends wait; incoming requests are served; {@code IBV_QPS_SQD}. */
    SEND_QUEUE_DRAINED(4),
    /** Unreliable transports only; {@code IBV_QPS_SQE}. */
    SEND_QUEUE_ERROR(5),
    /** Everything posted is flushed; {@code IBV_QPS_ERR}. */
    ERROR(6),
    /** A code this version does not know. */
    UNRECOGNIZED(-1);

    private static final QueuePairState[] BY_CODE =
            CodeTable.index(values(), QueuePairState::code, UNRECOGNIZED, new QueuePairState[0]);

    private final int code;

    QueuePairState(int code) {
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
    public static QueuePairState of(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : UNRECOGNIZED;
    }
}
