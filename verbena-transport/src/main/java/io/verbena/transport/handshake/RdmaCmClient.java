// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.handshake;

import io.verbena.transport.HandshakeState;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import io.verbena.transport.rdma.DeviceFailure;
import io.verbena.transport.rdma.Hello;
import io.verbena.transport.rdma.RdmaEndpoint;
import io.verbena.transport.rdma.RdmaEndpoints;
import io.verbena.transport.rdma.Side;
import io.verbena.verbs.ConnectionEvent;
import io.verbena.verbs.ConnectionEventType;
import io.verbena.verbs.ConnectionIdentifier;
import io.verbena.verbs.ConnectionParameters;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;

/**
 * The client's side of the older handshake: a token and an id on TCP, then the connection manager.
 * If that fails, four zero bytes on TCP say so, and the connection continues over TCP.
 */
final class RdmaCmClient extends RdmaCmHandshake {
    private final RdmaCmEvents events;
    private final RdmaEndpoints endpoints;
    private final InetSocketAddress server;
    private final Duration limit;
    private final int token;
    private long id;
    private Optional<ConnectionIdentifier> identifier = Optional.empty();

    /** Events that came while another thread was making the endpoint. */
    private final Queue<ConnectionEvent> waiting = new ArrayDeque<>();

    private boolean isConnecting;

    /**
     * Creates a handshake that has not begun.
     *
     * @param events delivers the events of its identifier
     * @param endpoints where the queue pair comes from
     * @param server where the server listens, with TCP and with the connection manager
     * @param limit for each step of the connection manager
     * @param token a random number the server recognises this client by
     * @param host the connection
     */
    RdmaCmClient(
            RdmaCmEvents events,
            RdmaEndpoints endpoints,
            InetSocketAddress server,
            Duration limit,
            int token,
            Host host) {
        super(host);
        this.events = events;
        this.endpoints = endpoints;
        this.server = server;
        this.limit = limit;
        this.token = token;
    }

    @Override
    public void begin() {
        if (!endpoints.isAvailable()) {
            host().warnOfTcp(HelloHandshake.NO_DEVICE);
            openTcp();
            return;
        }
        move(HandshakeState.C_HELLO_SEND);
        host().send(RdmaCmMessages.encodeClient(token), () -> move(HandshakeState.C_HELLO_WAIT));
    }

    @Override
    public void receive(ByteBuffer in) {
        if (state() != HandshakeState.C_HELLO_WAIT || in.remaining() < RdmaCmMessages.LENGTH) {
            return;
        }
        id = in.getLong();
        if (id == 0) {
            host().warnOfTcp("the server has no usable device");
            openTcp();
            return;
        }
        move(HandshakeState.C_ALLOC_QPCQ);
        attempt(
                () -> {
                    ConnectionIdentifier mine = events.create(this);
                    identifier = Optional.of(mine);
                    mine.resolveAddress(server, limit);
                });
    }

    @Override
    public void onEvent(ConnectionEvent event) {
        host().execute(() -> handle(event));
    }

    private void handle(ConnectionEvent event) {
        if (isConnecting) {
            waiting.add(event);
            return;
        }
        if (host().isOver() || state() == HandshakeState.C_ACK_SEND) {
            return;
        }
        switch (event.type()) {
            case ADDRESS_RESOLVED -> attempt(() -> event.identifier().resolveRoute(limit));
            case ROUTE_RESOLVED -> allocate();
            case ESTABLISHED -> established(event.parameters());
            case REJECTED -> giveUp(rejection(event.parameters()));
            default -> giveUp("the connection manager reports " + event.type());
        }
    }

    private static String rejection(ConnectionParameters answer) {
        String reason = RdmaCmMessages.decodeRejection(answer.privateData());
        return reason.isEmpty()
                ? "the connection manager reports " + ConnectionEventType.REJECTED
                : "the server refused: " + reason;
    }

    private void allocate() {
        ConnectionIdentifier mine = identifier.orElseThrow();
        // The other thread owns it now; afterwards its endpoint does.
        identifier = Optional.empty();
        isConnecting = true;
        host().offload(() -> connect(mine), new Connecting(mine));
    }

    private RdmaEndpoint connect(ConnectionIdentifier mine) {
        RdmaEndpoint made = endpoints.allocate(Side.CLIENT, mine);
        try {
            mine.connect(
                    ConnectionParameters.ZERO
                            .withRetries(RETRIES, 0)
                            .withPrivateData(
                                    RdmaCmMessages.encodeRequest(id, token, made.hello())));
            return made;
        } catch (Throwable e) { // or its queue pair would stay for ever
            made.abort(DeviceFailure.of("rdma_connect", e));
            throw e;
        }
    }

    private final class Connecting implements Outcome<RdmaEndpoint> {
        private final ConnectionIdentifier mine;

        Connecting(ConnectionIdentifier mine) {
            this.mine = mine;
        }

        @Override
        public void done(RdmaEndpoint made) {
            isConnecting = false;
            endpoint().hold(made);
            if (host().isOver()) {
                release();
                return;
            }
            move(HandshakeState.C_BRINGUP_QP);
            waiting.forEach(RdmaCmClient.this::handle);
        }

        @Override
        public void failed(TransportException reason) {
            isConnecting = false;
            mine.close();
            if (!host().isOver()) {
                giveUp(reason.getMessage());
            }
        }
    }

    private void established(ConnectionParameters answer) {
        Optional<Hello> peer = RdmaCmMessages.decodeAnswer(answer.privateData());
        if (peer.isEmpty()) {
            host().abort(
                            new TransportException(
                                    TransportError.EPROTO,
                                    "private data: not that of a server (expected: three sizes)"));
            return;
        }
        endpoint().get().bringUp(peer.get());
        openRdma();
    }

    /** The server waits for the connection manager, so it must be told on TCP. */
    private void giveUp(String reason) {
        host().warnOfTcp(reason);
        release();
        renounce();
        move(HandshakeState.C_ACK_SEND);
        host().send(AckReader.encode(false), this::openTcp);
    }

    private void attempt(Runnable step) {
        try {
            step.run();
        } catch (Throwable e) { // whatever it is, TCP still works
            giveUp(DeviceFailure.of("rdma_cm", e).detail());
        }
    }

    @Override
    void onFailed(TransportException reason) {
        release();
    }

    private void release() {
        try {
            endpoint().giveUp(DeviceFailure.abandoned());
        } finally {
            identifier.ifPresent(ConnectionIdentifier::close);
            identifier = Optional.empty();
        }
    }
}
