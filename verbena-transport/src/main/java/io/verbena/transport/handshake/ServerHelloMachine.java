// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.handshake;

import io.verbena.transport.HandshakeState;
import io.verbena.transport.RdmaState;
import io.verbena.transport.SocketMode;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import io.verbena.transport.rdma.Hello;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * The server's side of the handshake by hello.
 *
 * <pre>
 *   UNINIT ── magic ──> S_HELLO_WAIT ── hello ──> S_ALLOC_QPCQ ──> S_BRINGUP_QP ──> S_HELLO_SEND
 *     │ no magic                           └────────── refused ───────────────────────↗   │
 *     └──> plain TCP            ESTABLISHED or FALLBACK_TCP <── ACK ── S_ACK_WAIT <────────┘
 * </pre>
 */
final class ServerHelloMachine extends HelloMachine {
    private final SocketMode offer;
    private final AckReader ack = new AckReader();
    private volatile int version;
    private Optional<HelloReader> reader = Optional.empty();

    /**
     * Creates a handshake that has not begun.
     *
     * @param offer what this server does
     * @param eceEnabled whether it takes part in the exchange of ECE
     */
    ServerHelloMachine(SocketMode offer, boolean eceEnabled) {
        super(eceEnabled);
        this.offer = offer;
    }

    /** {@return the version of the client's hello, 0 before it has begun} */
    @Override
    int version() {
        return version;
    }

    /**
     * Takes bytes from the client.
     *
     * @param in what has arrived; what is not part of the handshake is left in it
     * @return what to do now. After BRING_UP and REFUSE the machine takes no bytes until {@link
     *     #helloWritten}
     * @throws TransportException with EPROTO if the client broke the protocol
     */
    HandshakeDecision receive(ByteBuffer in) {
        try {
            return switch (state()) {
                case UNINIT -> begin(in);
                case S_HELLO_WAIT -> readHello(in);
                case S_ACK_WAIT -> readAck(in);
                case S_ALLOC_QPCQ, S_BRINGUP_QP, S_HELLO_SEND -> HandshakeDecision.AWAIT;
                default -> throw new IllegalStateException("state: " + state() + " takes no bytes");
            };
        } catch (TransportException e) {
            fail();
            throw e;
        }
    }

    /**
     * The queue pair was made and is being connected. The only method that another thread may call,
     * even after {@link #fail}.
     */
    void allocated() {
        move(HandshakeState.S_ALLOC_QPCQ, HandshakeState.S_BRINGUP_QP);
    }

    /**
     * {@return the bytes that accept}
     *
     * @param mine what this side has; its queue pair is ready to send
     */
    byte[] accept(Hello mine) {
        move(HandshakeState.S_HELLO_SEND);
        return switch (received().orElseThrow().version()) {
            case V3 -> HelloV3.encode(negotiated(mine));
            case V2 -> HelloV2.encode(mine);
            case V1 -> throw new IllegalStateException("version: 1 (expected: to be refused)");
        };
    }

    /** {@return the bytes that refuse} The client is expected to continue over TCP. */
    byte[] refuse() {
        decide(RdmaState.RDMA_OFF);
        move(HandshakeState.S_HELLO_SEND);
        return switch (received().orElseThrow().version()) {
            case V3 -> HelloV3.encodeRefusal();
            case V2 ->
                    offer == SocketMode.TCP ? HelloV2.encodeTcpServer() : HelloV2.encodeRefusal();
            case V1 -> HelloV2.encodeRefusalOfV1();
        };
    }

    /** The kernel has the bytes of {@link #accept} or {@link #refuse}. */
    void helloWritten() {
        move(HandshakeState.S_ACK_WAIT);
    }

    private HandshakeDecision begin(ByteBuffer in) {
        if (!HelloVersion.anyMayBegin(in)) {
            decide(RdmaState.RDMA_OFF);
            return HandshakeDecision.PLAIN_TCP;
        }
        if (in.remaining() < HelloVersion.MAGIC_BYTES) {
            return HandshakeDecision.AWAIT;
        }
        HelloVersion magic = HelloVersion.byMagic(in);
        version = magic.number();
        reader = Optional.of(new HelloReader(magic));
        move(HandshakeState.S_HELLO_WAIT);
        return readHello(in);
    }

    private HandshakeDecision readHello(ByteBuffer in) {
        received(reader.orElseThrow().read(in));
        if (received().isEmpty()) {
            return HandshakeDecision.AWAIT;
        }
        reader = Optional.empty();
        version = received().get().version().number();
        if (received().get() instanceof ReceivedHello.Refusal || offer == SocketMode.TCP) {
            return HandshakeDecision.REFUSE;
        }
        move(HandshakeState.S_ALLOC_QPCQ);
        return HandshakeDecision.BRING_UP;
    }

    private HandshakeDecision readAck(ByteBuffer in) {
        if (!ack.read(in)) {
            return HandshakeDecision.AWAIT;
        }
        if (!ack.wantsRdma()) {
            decide(RdmaState.RDMA_OFF);
            move(HandshakeState.FALLBACK_TCP);
            return HandshakeDecision.TCP;
        }
        if (rdmaState() == RdmaState.RDMA_OFF) {
            throw new TransportException(
                    TransportError.EPROTO, "ACK: 1 (expected: 0, because this side refused RDMA)");
        }
        decide(RdmaState.RDMA_ON);
        move(HandshakeState.ESTABLISHED);
        return HandshakeDecision.RDMA;
    }

    /**
     * ECE is sent only if the client sent it and this side takes part: the endpoint has reduced the
     * client's options to its own.
     */
    private Hello negotiated(Hello mine) {
        return peer().ece().isPresent() ? told(mine) : mine.withoutEce();
    }
}
