// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

/** Why a connection failed or ended; names and numbers are brpc's, those below 1000 are Linux's. */
public enum TransportError {
    /** There is no memory to receive into. */
    ENOMEM(12),
    /** The connection was closed while something was written to it. */
    EPIPE(32),
    /** The peer broke the protocol. */
    EPROTO(71),
    /** The peer reset the connection. */
    ECONNRESET(104),
    /** Connecting took longer than its time limit. */
    ETIMEDOUT(110),
    /** Nobody listens at the address. */
    ECONNREFUSED(111),
    /** The host is down, or is considered down. */
    EHOSTDOWN(112),
    /** There is no route to the host. */
    EHOSTUNREACH(113),
    /** The time limit of a call or of the handshake has passed. */
    ERPCTIMEDOUT(1008),
    /** The connection failed for a reason that has no number of its own. */
    EFAILEDSOCKET(1009),
    /** Too many bytes are waiting to be written. */
    EOVERCROWDED(1011),
    /** The peer closed the connection. */
    EEOF(1014),
    /** The connection was idle for longer than its time limit. */
    EUNUSED(1015),
    /** An internal fault on this side. */
    EINTERNAL(2001),
    /** This side closed the connection. */
    ECLOSE(2005),
    /** A verb failed, or a work request completed with an error. */
    ERDMA(3001),
    /** The bytes are in memory that is not registered, or there is no registered memory left. */
    ERDMAMEM(3002);

    private final int code;

    TransportError(int code) {
        this.code = code;
    }

    /** {@return brpc's number} */
    public int code() {
        return code;
    }
}
