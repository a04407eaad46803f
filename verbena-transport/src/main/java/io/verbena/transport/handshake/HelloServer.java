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
 * Carries out what a {@link ServerHelloMachine} decides: makes the queue pair, connects it, moves
 * the bytes.
 */
final class HelloServer extends HelloHandshake {
    private final ServerHelloMachine machine;
    private final RdmaEndpoints endpoints;
    private final Host host;

    /**
     * Creates a handshake that has not begun.
     *
     * @param machine the protocol
     * @param endpoints where the queue pair comes from
     * @param host the connection
     */
    HelloServer(ServerHelloMachine machine, RdmaEndpoints endpoints, Host host) {
        super(machine);
        this.machine = machine;
        this.endpoints = endpoints;
        this.host = host;
    }

    @Override
    public void begin() {}

    @Override
    public void receive(ByteBuffer in) {
        switch (machine.receive(in)) {
            case PLAIN_TCP, TCP -> fallBack();
            case BRING_UP -> allocate();
            case REFUSE -> refuse();
            case RDMA -> openRdma();
            case AWAIT -> {}
        }
    }

    private void allocate() {
        if (!endpoints.isAvailable()) {
            host.warnOfTcp(HelloHandshake.NO_DEVICE);
            refuse();
            return;
        }
        if (!host.tryTakeQueuePair()) {
            host.warnOfTcp(HelloHandshake.TOO_MANY_NEWCOMERS);
            refuse();
            return;
        }
        Hello peer = machine.peer();
        host.offload(() -> bringUp(peer), new BroughtUp());
    }

    /** Runs on another thread: it may touch only the states of the machine. */
    private RdmaEndpoint bringUp(Hello peer) {
        RdmaEndpoint made = endpoints.allocate(Side.SERVER);
        try {
            machine.allocated();
            made.bringUp(peer);
            return made;
        } catch (Throwable e) { // or its queue pair would stay for ever
            made.abort(DeviceFailure.of("cannot reach the peer", e));
            throw e;
        }
    }

    private final class BroughtUp implements Outcome<RdmaEndpoint> {
        @Override
        public void done(RdmaEndpoint connected) {
            if (host.isOver()) {
                connected.abort(DeviceFailure.abandoned());
                return;
            }
            endpoint().hold(connected);
            host.send(machine.accept(connected.hello()), machine::helloWritten);
        }

        @Override
        public void failed(TransportException reason) {
            if (!host.isOver()) {
                host.warnOfTcp(reason.getMessage());
                refuse();
            }
        }
    }

    private void refuse() {
        host.send(machine.refuse(), machine::helloWritten);
    }

    private void openRdma() {
        host.openRdma(endpoint().take());
    }

    private void fallBack() {
        endpoint().giveUp(DeviceFailure.abandoned());
        host.openTcp();
    }
}
