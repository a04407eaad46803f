// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

/** How a work request ended; {@code ibv_wc_status}. */
public enum WorkCompletionStatus {
    /** The operation completed. */
    SUCCESS(0),
    /**
     * A receive buffer was too small, or a message was longer than the device can send; {@code
     * IBV_WC_LOC_LEN_ERR}.
     */
    LOCAL_LENGTH(1),
    /** An internal inconsistency of the local queue pair; {@code IBV_WC_LOC_QP_OP_ERR}. */
    LOCAL_QP_OPERATION(2),
    /** {@code IBV_WC_LOC_EEC_OP_ERR}; reliable datagrams only. */
    LOCAL_EEC_OPERATION(3),
    /**
     * A local element does not lie in a memory region that allows the access; {@code
     * IBV_WC_LOC_PROT_ERR}.
     */
    LOCAL_PROTECTION(4),
    /**
     * The queue pair was in the error state before the request could run; {@code
     * IBV_WC_WR_FLUSH_ERR}.
     */
    WORK_REQUEST_FLUSHED(5),
    /** {@code IBV_WC_MW_BIND_ERR}. */
    MEMORY_WINDOW_BIND(6),
    /** The responder sent something unexpected; {@code IBV_WC_BAD_RESP_ERR}. */
    BAD_RESPONSE(7),
    /**
     * A protection error on a local buffer while an incoming write with immediate data was placed;
     * {@code IBV_WC_LOC_ACCESS_ERR}.
     */
    LOCAL_ACCESS(8),
    /** The responder found the request invalid; {@code IBV_WC_REM_INV_REQ_ERR}. */
    REMOTE_INVALID_REQUEST(9),
    /**
     * The remote key, bounds or permissions did not allow the access; {@code
     * IBV_WC_REM_ACCESS_ERR}.
     */
    REMOTE_ACCESS(10),
    /** The responder could not complete the operation; {@code IBV_WC_REM_OP_ERR}. */
    REMOTE_OPERATION(11),
    /** The remote side did not answer; {@code IBV_WC_RETRY_EXC_ERR}. */
    RETRY_EXCEEDED(12),
    /** The remote side had no receive posted for too long; {@code IBV_WC_RNR_RETRY_EXC_ERR}. */
    RNR_RETRY_EXCEEDED(13),
    /** {@code IBV_WC_LOC_RDD_VIOL_ERR}. */
    LOCAL_RDD_VIOLATION(14),
    /** {@code IBV_WC_REM_INV_RD_REQ_ERR}. */
    REMOTE_INVALID_RD_REQUEST(15),
    /** {@code IBV_WC_REM_ABORT_ERR}. */
    REMOTE_ABORTED(16),
    /** {@code IBV_WC_INV_EECN_ERR}. */
    INVALID_EECN(17),
    /** {@code IBV_WC_INV_EEC_STATE_ERR}. */
    INVALID_EEC_STATE(18),
    /** The device failed; {@code IBV_WC_FATAL_ERR}. */
    FATAL(19),
    /** {@code IBV_WC_RESP_TIMEOUT_ERR}. */
    RESPONSE_TIMEOUT(20),
    /** Any other transport error; {@code IBV_WC_GENERAL_ERR}. */
    GENERAL(21),
    /** A code this version does not know; {@link WorkCompletion#statusCode} has the raw number. */
    UNRECOGNIZED(-1);

    private static final WorkCompletionStatus[] BY_CODE =
            CodeTable.index(
                    values(),
                    WorkCompletionStatus::code,
                    UNRECOGNIZED,
                    new WorkCompletionStatus[0]);

    private final int code;

    WorkCompletionStatus(int code) {
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
    public static WorkCompletionStatus of(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : UNRECOGNIZED;
    }
}
