// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.handshake;

import io.verbena.transport.HandshakeState;
import io.verbena.transport.RdmaState;
import io.verbena.transport.TransportException;
import io.verbena.transport.rdma.RdmaEndpoint;

/** What both sides of the older handshake have in common. */
abstract sealed class RdmaCmHandshake implements Handshake, RdmaCmEvents.Listener
        permits RdmaCmClient, RdmaCmServer {
    /** How often a queue pair repeats a request that gets no answer. */
    static final int RETRIES = 7;

    private final Host host;
    private final HeldEndpoint endpoint = new HeldEndpoint();
    private volatile HandshakeState state = HandshakeState.UNINIT;
    private volatile RdmaState rdmaState = RdmaState.RDMA_UNKNOWN;

    RdmaCmHandshake(Host host) {
        this.host = host;
    }

    @Override
    public final HandshakeState state() {
        return state;
    }

    @Override
    public final RdmaState rdmaState() {
        return rdmaState;
    }

    @Override
    public final int version() {
        return HelloVersion.V1.number();
    }

    /** {@return the connection} */
    final Host host() {
        return host;
    }

    /** {@return the endpoint, while no one else has it} */
    final HeldEndpoint endpoint() {
        return endpoint;
    }

    final void move(HandshakeState next) {
        state = next;
    }

    /** No RDMA for this connection from now on, whatever happens. */
    final void renounce() {
        rdmaState = RdmaState.RDMA_OFF;
    }

    /** Bytes travel over the endpoint from now on. */
    final void openRdma() {
        RdmaEndpoint mine = endpoint.take();
        rdmaState = RdmaState.RDMA_ON;
        state = HandshakeState.ESTABLISHED;
        host.openRdma(mine);
    }

    /** Bytes travel over TCP from now on. */
    final void openTcp() {
        renounce();
        state = HandshakeState.FALLBACK_TCP;
        host.openTcp();
    }

    @Override
    public final void fail(TransportException reason) {
        state = HandshakeState.FAILED;
        onFailed(reason);
    }

    /**
     * Gives back what this side holds.
     *
     * @param reason why
     */
    abstract void onFailed(TransportException reason);
}
