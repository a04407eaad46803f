// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

/** What happened to a device, port, queue pair or completion queue; {@code ibv_event_type}. */
public enum AsyncEventType {
    /** A completion queue overflowed; {@code IBV_EVENT_CQ_ERR}. */
    CQ_ERROR(0),
    /** A queue pair failed; {@code IBV_EVENT_QP_FATAL}. */
    QP_FATAL(1),
    /** An incoming request was invalid; {@code IBV_EVENT_QP_REQ_ERR}. */
    QP_REQUEST_ERROR(2),
    /**
     * An incoming request was not allowed to access the memory; {@code IBV_EVENT_QP_ACCESS_ERR}.
     */
    QP_ACCESS_ERROR(3),
    /** The first message arrived before the connection manager reported the connection. */
    COMMUNICATION_ESTABLISHED(4),
    /** The send queue is drained; {@code IBV_EVENT_SQ_DRAINED}. */
    SEND_QUEUE_DRAINED(5),
    /** {@code IBV_EVENT_PATH_MIG}. */
    PATH_MIGRATED(6),
    /** {@code IBV_EVENT_PATH_MIG_ERR}. */
    PATH_MIGRATION_ERROR(7),
    /** The device failed. */
    DEVICE_FATAL(8),
    /** A port became active. */
    PORT_ACTIVE(9),
    /** A port went down. */
    PORT_ERROR(10),
    /** {@code IBV_EVENT_LID_CHANGE}. */
    LID_CHANGE(11),
    /** {@code IBV_EVENT_PKEY_CHANGE}. */
    PKEY_CHANGE(12),
    /** {@code IBV_EVENT_SM_CHANGE}. */
    SM_CHANGE(13),
    /** {@code IBV_EVENT_SRQ_ERR}. */
    SRQ_ERROR(14),
    /** {@code IBV_EVENT_SRQ_LIMIT_REACHED}. */
    SRQ_LIMIT_REACHED(15),
    /** {@code IBV_EVENT_QP_LAST_WQE_REACHED}. */
    QP_LAST_WQE_REACHED(16),
    /** {@code IBV_EVENT_CLIENT_REREGISTER}. */
    CLIENT_REREGISTER(17),
    /** The table of global identifiers changed. */
    GID_CHANGE(18),
    /** A code this version does not know. */
    UNRECOGNIZED(-1);

    private static final AsyncEventType[] BY_CODE =
            CodeTable.index(values(), AsyncEventType::code, UNRECOGNIZED, new AsyncEventType[0]);

    private final int code;

    AsyncEventType(int code) {
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
    public static AsyncEventType of(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : UNRECOGNIZED;
    }
}
