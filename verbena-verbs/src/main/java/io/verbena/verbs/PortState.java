// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

/** The logical state of a port; {@code ibv_port_state}. */
public enum PortState {
    /** No state change. */
    NOP(0),
    /** The link is down. */
    DOWN(1),
    /** The link is up; the port is not configured yet. */
    INITIALIZING(2),
    /** Configured, but not active yet. */
    ARMED(3),
    /** Ready for traffic. */
    ACTIVE(4),
    /** Active; the link was lost briefly. */
    ACTIVE_DEFER(5),
    /** A code this version does not know. */
    UNRECOGNIZED(-1);

    private static final PortState[] BY_CODE =
            CodeTable.index(values(), PortState::code, UNRECOGNIZED, new PortState[0]);

    private final int code;

    PortState(int code) {
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
    public static PortState of(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : UNRECOGNIZED;
    }
}
