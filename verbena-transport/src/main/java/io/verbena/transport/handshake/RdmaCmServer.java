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
import io.verbena.verbs.ConnectionEvent;
import io.verbena.verbs.ConnectionEventType;
import io.verbena.verbs.ConnectionIdentifier;
import io.verbena.verbs.ConnectionParameters;
import io.verbena.verbs.VerbsException;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server's side of the older handshake: answers a token with an id, then waits until the
 * connection manager brings a request with both, or the client gives up on TCP.
 */
final class RdmaCmServer implements Handshake, RdmaCmEvents.Listener {
    /** How often a queue pair repeats what nobody answers. */
    static final int RETRIES = 7;

    private static final Logger LOG = LoggerFactory.getLogger(RdmaCmServer.class);
    private static final byte[] NO_DATA = {};

    private final RdmaCmAcceptor acceptor;
    private final RdmaEndpoints endpoints;
    private final Host host;
    private final AckReader ack = new AckReader();
    private volatile HandshakeState state = HandshakeState.UNINIT;
    private volatile RdmaState rdmaState = RdmaState.RDMA_UNKNOWN;
    private long id;
    private Optional<RdmaEndpoint> endpoint = Optional.empty();

    /** The event may come before the thread that accepted has handed its endpoint over. */
    private boolean isEstablished;

    /**
     * A handshake that has not begun.
     *
     * @param acceptor brings the requests
     * @param endpoints where the queue pair comes from
     * @param host the connection
     */
    RdmaCmServer(RdmaCmAcceptor acceptor, RdmaEndpoints endpoints, Host host) {
        this.acceptor = acceptor;
        this.endpoints = endpoints;
        this.host = host;
    }

    @Override
    public HandshakeState state() {
        return state;
    }

    @Override
    public RdmaState rdmaState() {
        return rdmaState;
    }

    @Override
    public int version() {
        return HelloVersion.V1.number();
    }

    @Override
    public void begin() {}

    @Override
    public void receive(ByteBuffer in) {
        if (state == HandshakeState.S_ACK_WAIT) {
            receiveRefusal(in);
            return;
        }
        if (state == HandshakeState.UNINIT || state == HandshakeState.S_HELLO_WAIT) {
            state = HandshakeState.S_HELLO_WAIT;
            if (in.remaining() >= RdmaCmMessages.LENGTH) {
                in.getInt();
                answer(in.getInt());
            }
        }
    }

    private void answer(int token) {
        state = HandshakeState.S_HELLO_SEND;
        if (!endpoints.isAvailable()) {
            host.send(RdmaCmMessages.encodeServer(0), this::openTcp);
            return;
        }
        id = acceptor.expect(token, this);
        host.send(RdmaCmMessages.encodeServer(id), () -> state = HandshakeState.S_ACK_WAIT);
    }

    private void receiveRefusal(ByteBuffer in) {
        if (!ack.read(in)) {
            return;
        }
        if (ack.wantsRdma()) {
            throw new TransportException(
                    TransportError.EPROTO, "bytes on TCP (expected: zeros, or a request by CM)");
        }
        release(new TransportException(TransportError.ECLOSE, "the client gave RDMA up"));
        openTcp();
    }

    /**
     * A request with the right id and token has come. Thread of the connection manager.
     *
     * @param request belongs to this handshake now
     * @param peer the client's sizes
     */
    void onRequest(ConnectionIdentifier request, Hello peer) {
        request.attach(this);
        host.execute(() -> accept(request, peer));
    }

    private void accept(ConnectionIdentifier request, Hello peer) {
        if (host.isOver() || rdmaState == RdmaState.RDMA_OFF) {
            refuse(request);
            return;
        }
        host.offload(
                () -> bringUp(request, peer),
                new Outcome<RdmaEndpoint>() {
                    @Override
                    public void done(RdmaEndpoint made) {
                        endpoint = Optional.of(made);
                        if (host.isOver()) {
                            release(
                                    new TransportException(
                                            TransportError.ECLOSE, "the client is gone"));
                        }
                        openIfEstablished();
                    }

                    @Override
                    public void failed(TransportException reason) {
                        // The client learns it from the rejection, and says so on TCP.
                    }
                });
    }

    private RdmaEndpoint bringUp(ConnectionIdentifier request, Hello peer) {
        RdmaEndpoint made;
        try {
            made = endpoints.allocate(request);
        } catch (RuntimeException e) {
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
        } catch (RuntimeException e) {
            made.abort(DeviceFailure.of("rdma_accept", e));
            throw e;
        }
    }

    /** Refuses a request and closes it. */
    static void refuse(ConnectionIdentifier request) {
        try {
            request.reject(NO_DATA);
        } catch (VerbsException e) {
            LOG.debug("a client did not wait for its refusal", e);
        } finally {
            request.close();
        }
    }

    @Override
    public void onEvent(ConnectionEvent event) {
        if (event.type() == ConnectionEventType.ESTABLISHED) {
            host.execute(
                    () -> {
                        isEstablished = true;
                        openIfEstablished();
                    });
        }
    }

    private void openIfEstablished() {
        if (!isEstablished || host.isOver() || endpoint.isEmpty()) {
            return;
        }
        RdmaEndpoint mine = endpoint.get();
        endpoint = Optional.empty();
        acceptor.forget(id);
        rdmaState = RdmaState.RDMA_ON;
        state = HandshakeState.ESTABLISHED;
        host.openRdma(mine);
    }

    private void openTcp() {
        acceptor.forget(id);
        rdmaState = RdmaState.RDMA_OFF;
        state = HandshakeState.FALLBACK_TCP;
        host.openTcp();
    }

    @Override
    public void fail(TransportException reason) {
        state = HandshakeState.FAILED;
        acceptor.forget(id);
        release(reason);
    }

    private void release(TransportException reason) {
        endpoint.ifPresent(held -> held.abort(reason));
        endpoint = Optional.empty();
    }
}
