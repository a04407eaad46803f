// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

/** What happened to a connection; {@code rdma_cm_event_type}. */
public enum ConnectionEventType {
    /** {@code RDMA_CM_EVENT_ADDR_RESOLVED}. */
    ADDRESS_RESOLVED(0),
    /** {@code RDMA_CM_EVENT_ADDR_ERROR}. */
    ADDRESS_ERROR(1),
    /** {@code RDMA_CM_EVENT_ROUTE_RESOLVED}. */
    ROUTE_RESOLVED(2),
    /** {@code RDMA_CM_EVENT_ROUTE_ERROR}. */
    ROUTE_ERROR(3),
    /** A peer asks to connect; the event carries a new identifier. */
    CONNECT_REQUEST(4),
    /** The peer accepted an identifier that has no queue pair of its own. */
    CONNECT_RESPONSE(5),
    /** Connecting failed. */
    CONNECT_ERROR(6),
    /** The peer did not answer. */
    UNREACHABLE(7),
    /** The peer refused. */
    REJECTED(8),
    /** Both sides are connected. */
    ESTABLISHED(9),
    /** The connection ended. */
    DISCONNECTED(10),
    /** The device went away. */
    DEVICE_REMOVAL(11),
    /** {@code RDMA_CM_EVENT_MULTICAST_JOIN}. */
    MULTICAST_JOIN(12),
    /** {@code RDMA_CM_EVENT_MULTICAST_ERROR}. */
    MULTICAST_ERROR(13),
    /** {@code RDMA_CM_EVENT_ADDR_CHANGE}. */
    ADDRESS_CHANGE(14),
    /** The queue pair number may be used again. */
    TIMEWAIT_EXIT(15),
    /** A code this version does not know. */
    UNRECOGNIZED(-1);

    private static final ConnectionEventType[] BY_CODE =
            CodeTable.index(
                    values(), ConnectionEventType::code, UNRECOGNIZED, new ConnectionEventType[0]);

    private final int code;

    ConnectionEventType(int code) {
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
    public static ConnectionEventType of(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : UNRECOGNIZED;
    }
}
