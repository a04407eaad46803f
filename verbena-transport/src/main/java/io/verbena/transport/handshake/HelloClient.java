// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.handshake;

import io.verbena.transport.TransportException;
import io.verbena.transport.rdma.DeviceFailure;
import io.verbena.transport.rdma.Hello;
import io.verbena.transport.rdma.RdmaEndpoint;
import io.verbena.transport.rdma.RdmaEndpoints;
import io.verbena.transport.rdma.Side;
import java.nio.ByteBuffer;

/**
 * Carries out what a {@link ClientHelloMachine} decides: makes the queue pair, connects it, moves
 * the bytes.
 */
final class HelloClient extends HelloHandshake {
    /** The server's log says which; the protocol has no room for a reason. */
    private static final String REFUSED =
            "the server has no usable device, cannot reach this one, or has too many clients that"
                    + " have sent no request yet (max_newcomer_queue_pairs): its log says which;"
                    + " processes that share the software device need the same user and the same"
                    + " /dev/shm";

    private final ClientHelloMachine machine;
    private final RdmaEndpoints endpoints;
    private final Host host;

    /**
     * Creates a handshake that has not begun.
     *
     * @param machine the protocol
     * @param endpoints where the queue pair comes from
     * @param host the connection
     */
    HelloClient(ClientHelloMachine machine, RdmaEndpoints endpoints, Host host) {
        super(machine);
        this.machine = machine;
        this.endpoints = endpoints;
        this.host = host;
    }

    @Override
    public void begin() {
        if (!endpoints.isAvailable()) {
            machine.unavailable();
            host.warnOfTcp(HelloHandshake.NO_DEVICE);
            host.openTcp();
            return;
        }
        machine.allocating();
        host.offload(
                () -> endpoints.allocate(Side.CLIENT),
                new Outcome<RdmaEndpoint>() {
                    @Override
                    public void done(RdmaEndpoint made) {
                        allocated(made);
                    }

                    @Override
                    public void failed(TransportException reason) {
                        notAllocated(reason);
                    }
                });
    }

    private void allocated(RdmaEndpoint made) {
        if (host.isOver()) {
            made.abort(DeviceFailure.abandoned());
            return;
        }
        endpoint().hold(made);
        host.send(machine.hello(made.hello()), machine::helloWritten);
    }

    /** Not an error: nothing was sent yet, so the server never learns that RDMA was intended. */
    private void notAllocated(TransportException reason) {
        if (!host.isOver()) {
            machine.unavailable();
            host.warnOfTcp(reason.getMessage());
            host.openTcp();
        }
    }

    @Override
    public void receive(ByteBuffer in) {
        switch (machine.receive(in)) {
            case BRING_UP -> bringUp();
            case REFUSE -> {
                host.warnOfTcp(REFUSED);
                acknowledge(false);
            }
            case AWAIT, PLAIN_TCP, RDMA, TCP -> {}
        }
    }

    private void bringUp() {
        // The other thread owns it now: nobody else may end it.
        RdmaEndpoint mine = endpoint().take();
        Hello peer = machine.peer();
        try {
            host.offload(
                    () -> {
                        mine.bringUp(peer);
                        return mine;
                    },
                    new BroughtUp(mine));
        } catch (Throwable e) { // nobody else has it
            mine.abort(DeviceFailure.abandoned());
            throw e;
        }
    }

    private final class BroughtUp implements Outcome<RdmaEndpoint> {
        private final RdmaEndpoint mine;

        BroughtUp(RdmaEndpoint mine) {
            this.mine = mine;
        }

        @Override
        public void done(RdmaEndpoint connected) {
            endpoint().hold(connected);
            acknowledge(true);
        }

        @Override
        public void failed(TransportException reason) {
            endpoint().hold(mine);
            host.warnOfTcp(reason.getMessage());
            acknowledge(false);
        }
    }

    private void acknowledge(boolean rdma) {
        if (!rdma || host.isOver()) {
            endpoint().giveUp(DeviceFailure.abandoned());
        }
        if (host.isOver()) {
            return;
        }
        host.send(machine.acknowledge(rdma), this::acknowledged);
    }

    private void acknowledged() {
        if (machine.acknowledgementWritten() == HandshakeDecision.RDMA) {
            host.openRdma(endpoint().take());
        } else {
            host.openTcp();
        }
    }
}
