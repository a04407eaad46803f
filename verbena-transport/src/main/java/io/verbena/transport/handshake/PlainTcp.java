// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.handshake;

import io.verbena.transport.HandshakeState;
import io.verbena.transport.RdmaState;
import io.verbena.transport.TransportException;
import java.nio.ByteBuffer;

/** No handshake: a client that wants TCP sends nothing before its user does. */
final class PlainTcp implements Handshake {
    private final Host host;
    private volatile HandshakeState state = HandshakeState.UNINIT;

    /** Creates a handshake that opens TCP as soon as it is connected. */
    PlainTcp(Host host) {
        this.host = host;
    }

    @Override
    public HandshakeState state() {
        return state;
    }

    @Override
    public RdmaState rdmaState() {
        return RdmaState.RDMA_OFF;
    }

    @Override
    public int version() {
        return 0;
    }

    @Override
    public void begin() {
        host.openTcp();
    }

    @Override
    public void receive(ByteBuffer in) {}

    @Override
    public void fail(TransportException reason) {
        state = HandshakeState.FAILED;
    }
}
