// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.handshake;

import io.verbena.transport.HandshakeState;
import io.verbena.transport.RdmaState;
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
import io.verbena.verbs.VerbsException;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server's side of the older handshake: answers a token with an id, then waits until the
 * connection manager delivers a request with both, or the client gives up over TCP.
 */
final class RdmaCmServer extends RdmaCmHandshake {
    private static final Logger LOG = LoggerFactory.getLogger(RdmaCmServer.class);
    private static final String NO_REASON = "";

    private final RdmaCmAcceptor acceptor;
    private final RdmaEndpoints endpoints;
    private final AckReader ack = new AckReader();
    private long id;

    /** The event may come before the thread that accepted has handed its endpoint over. */
    private boolean isEstablished;

    /**
     * Creates a handshake that has not begun.
     *
     * @param acceptor delivers the requests
     * @param endpoints where the queue pair comes from
     * @param host the connection
     */
    RdmaCmServer(RdmaCmAcceptor acceptor, RdmaEndpoints endpoints, Host host) {
        super(host);
        this.acceptor = acceptor;
        this.endpoints = endpoints;
    }

    @Override
    public void begin() {}

    @Override
    public void receive(ByteBuffer in) {
        if (state() == HandshakeState.S_ACK_WAIT) {
            receiveRefusal(in);
            return;
        }
        if (state() == HandshakeState.UNINIT || state() == HandshakeState.S_HELLO_WAIT) {
            move(HandshakeState.S_HELLO_WAIT);
            if (in.remaining() >= RdmaCmMessages.LENGTH) {
                in.getInt();
                answer(in.getInt());
            }
        }
    }

    private void answer(int token) {
        move(HandshakeState.S_HELLO_SEND);
        if (!endpoints.isAvailable()) {
            host().warnOfTcp(HelloHandshake.NO_DEVICE);
            host().send(RdmaCmMessages.encodeServer(0), this::fallBack);
            return;
        }
        id = acceptor.expect(token, this);
        host().send(RdmaCmMessages.encodeServer(id), () -> move(HandshakeState.S_ACK_WAIT));
    }

    private void receiveRefusal(ByteBuffer in) {
        if (!ack.read(in)) {
            return;
        }
        if (ack.wantsRdma()) {
            throw new TransportException(
                    TransportError.EPROTO, "bytes on TCP (expected: zeros, or a request by CM)");
        }
        endpoint().giveUp(DeviceFailure.abandoned());
        fallBack();
    }

    /**
     * A request with the right id and token has arrived. Called on the connection manager's thread.
     *
     * @param request now belongs to this handshake
     * @param peer the client's sizes
     */
    void onRequest(ConnectionIdentifier request, Hello peer) {
        request.attach(this);
        host().execute(() -> accept(request, peer));
    }

    private void accept(ConnectionIdentifier request, Hello peer) {
        if (host().isOver() || rdmaState() == RdmaState.RDMA_OFF) {
            refuse(request);
            return;
        }
        if (!host().tryTakeQueuePair()) {
            host().warnOfTcp(HelloHandshake.TOO_MANY_NEWCOMERS);
            refuse(request, HelloHandshake.TOO_MANY_NEWCOMERS);
            return;
        }
        host().offload(
                        () -> bringUp(request, peer),
                        new Outcome<RdmaEndpoint>() {
                            @Override
                            public void done(RdmaEndpoint made) {
                                endpoint().hold(made);
                                if (host().isOver()) {
                                    endpoint().giveUp(DeviceFailure.abandoned());
                                }
                                openIfEstablished();
                            }

                            @Override
                            public void failed(TransportException reason) {
                                // The client learns of it from the rejection, and confirms on TCP.
                                host().warnOfTcp(reason.getMessage());
                            }
                        });
    }

    private RdmaEndpoint bringUp(ConnectionIdentifier request, Hello peer) {
        RdmaEndpoint made;
        try {
            made = endpoints.allocate(Side.SERVER, request);
        } catch (Throwable e) { // or the client would wait for its time limit
            refuse(request);
            throw e;
        }
        try {
            made.bringUp(peer);
            request.accept(
                    ConnectionParameters.ZERO
                            .withRetries(RETRIES, 0)
                            .withPrivateData(RdmaCmMessages.encodeAnswer(made.hello())));
            return made;
        } catch (Throwable e) { // or its queue pair would stay for ever
            made.abort(DeviceFailure.of("rdma_accept", e));
            throw e;
        }
    }

    /** Refuses a request and closes it. */
    static void refuse(ConnectionIdentifier request) {
        refuse(request, NO_REASON);
    }

    private static void refuse(ConnectionIdentifier request, String reason) {
        try {
            request.reject(RdmaCmMessages.encodeRejection(reason));
        } catch (VerbsException e) {
            LOG.debug("a client did not wait for its refusal", e);
        } finally {
            request.close();
        }
    }

    @Override
    public void onEvent(ConnectionEvent event) {
        if (event.type() == ConnectionEventType.ESTABLISHED) {
            host().execute(
                            () -> {
                                isEstablished = true;
                                openIfEstablished();
                            });
        }
    }

    private void openIfEstablished() {
        if (!isEstablished || host().isOver() || !endpoint().isPresent()) {
            return;
        }
        acceptor.forget(id);
        openRdma();
    }

    private void fallBack() {
        acceptor.forget(id);
        openTcp();
    }

    @Override
    void onFailed(TransportException reason) {
        acceptor.forget(id);
        endpoint().giveUp(reason);
    }
}
