// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.handshake;

import io.verbena.transport.HandshakeState;
import io.verbena.transport.RdmaState;
import io.verbena.transport.TransportException;
import java.util.Optional;

/**
 * What both sides of a handshake by hello have in common: a machine that knows the protocol, and
 * the endpoint it is about.
 */
abstract sealed class HelloHandshake implements Handshake permits HelloClient, HelloServer {
    /** Why a side without RDMA refuses it. */
    static final String NO_DEVICE = "this side has no usable device";

    /** Why a server refuses RDMA for now. Also sent to clients of the connection manager. */
    static final String TOO_MANY_NEWCOMERS =
            "too many clients with a queue pair have sent no request yet"
                    + " (max_newcomer_queue_pairs; raise it if they are yours)";

    private final HelloMachine machine;
    private final HeldEndpoint endpoint = new HeldEndpoint();

    HelloHandshake(HelloMachine machine) {
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
        endpoint.giveUp(reason);
    }

    /** {@return the endpoint, while no one else has it} */
    final HeldEndpoint endpoint() {
        return endpoint;
    }
}
