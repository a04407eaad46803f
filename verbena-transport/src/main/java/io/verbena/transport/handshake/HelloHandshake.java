// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.handshake;

import io.verbena.transport.HandshakeState;
import io.verbena.transport.RdmaState;
import io.verbena.transport.TransportException;
import io.verbena.transport.rdma.RdmaEndpoint;
import java.util.Optional;

/**
 * What both sides of a handshake by hello have in common: a machine that knows the protocol, and
 * the queue pair it is about, as long as it belongs to neither another thread nor the connection.
 */
abstract sealed class HelloHandshake implements Handshake permits HelloClient, HelloServer {
    /** The protocol of one side, as far as both are alike. */
    interface Machine {
        /** See {@link Handshake#state}. */
        HandshakeState state();

        /** See {@link Handshake#rdmaState}. */
        RdmaState rdmaState();

        /** See {@link Handshake#version}. */
        int version();

        /** See {@link Handshake#objection}. */
        Optional<String> objection();

        /** The handshake cannot be finished. */
        void fail();
    }

    private final Machine machine;
    private Optional<RdmaEndpoint> endpoint = Optional.empty();

    HelloHandshake(Machine machine) {
        this.machine = machine;
    }

    @Override
    public final HandshakeState state() {
        return machine.state();
    }

    @Override
    public final RdmaState rdmaState() {
        return machine.rdmaState();
    }

    @Override
    public final int version() {
        return machine.version();
    }

    @Override
    public final Optional<String> objection() {
        return machine.objection();
    }

    @Override
    public final void fail(TransportException reason) {
        machine.fail();
        giveUpEndpoint(reason);
    }

    /** Is responsible for an endpoint from now on. */
    final void hold(RdmaEndpoint mine) {
        endpoint = Optional.of(mine);
    }

    /** {@return the endpoint, which is somebody else's from now on} */
    final RdmaEndpoint release() {
        RdmaEndpoint mine = endpoint.orElseThrow();
        endpoint = Optional.empty();
        return mine;
    }

    /** Ends the endpoint, if there is one. */
    final void giveUpEndpoint(TransportException reason) {
        if (endpoint.isPresent()) {
            release().abort(reason);
        }
    }
}
