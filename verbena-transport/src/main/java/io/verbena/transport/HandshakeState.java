// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

/** How far a handshake has come; names and numbers are brpc's. */
public enum HandshakeState {
    /** Nothing has been sent. */
    UNINIT(0x0),
    /** Client: creates its queue pair. */
    C_ALLOC_QPCQ(0x1),
    /** Client: writes its hello. */
    C_HELLO_SEND(0x2),
    /** Client: waits for the server's hello. */
    C_HELLO_WAIT(0x3),
    /** Client: connects its queue pair. */
    C_BRINGUP_QP(0x4),
    /** Client: writes its ACK. */
    C_ACK_SEND(0x5),
    /** Server: waits for the rest of the client's hello. */
    S_HELLO_WAIT(0x11),
    /** Server: creates its queue pair. */
    S_ALLOC_QPCQ(0x12),
    /** Server: connects its queue pair. */
    S_BRINGUP_QP(0x13),
    /** Server: writes its hello. */
    S_HELLO_SEND(0x14),
    /** Server: waits for the client's ACK. */
    S_ACK_WAIT(0x15),
    /** Bytes travel over RDMA. */
    ESTABLISHED(0x100),
    /** Bytes travel over TCP. */
    FALLBACK_TCP(0x200),
    /** The connection cannot be used. */
    FAILED(0x300);

    private final int code;

    HandshakeState(int code) {
        this.code = code;
    }

    /** {@return brpc's number} */
    public int code() {
        return code;
    }
}
