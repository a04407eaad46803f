// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.handshake;

import io.verbena.transport.HandshakeState;
import io.verbena.transport.RdmaState;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import io.verbena.transport.rdma.Hello;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * The client's side of the handshake by hello.
 *
 * <pre>
 *   UNINIT ──> C_ALLOC_QPCQ ──> C_HELLO_SEND ──> C_HELLO_WAIT ── hello ──> C_BRINGUP_QP
 *                   │ no queue pair                   │ refusal                  │
 *                   └──> FALLBACK_TCP                 └───────> C_ACK_SEND <─────┘
 *                                                 ESTABLISHED or FALLBACK_TCP
 * </pre>
 */
final class ClientHelloMachine extends HelloMachine {
    private final HelloVersion version;
    private final HelloReader reader;
    private boolean magicSeen;

    /**
     * Creates a handshake that has not begun.
     *
     * @param version which hello to send
     * @param eceEnabled whether this side takes part in the exchange of ECE
     */
    ClientHelloMachine(HelloVersion version, boolean eceEnabled) {
        super(eceEnabled);
        this.version = version;
        this.reader = new HelloReader(version);
    }

    /** {@return the version of the hello this client sends} */
    @Override
    int version() {
        return version.number();
    }

    /** A queue pair is being made. */
    void allocating() {
        move(HandshakeState.C_ALLOC_QPCQ);
    }

    /** There is no queue pair: the connection is plain TCP, and the handshake sends nothing. */
    void unavailable() {
        decide(RdmaState.RDMA_OFF);
        move(HandshakeState.FALLBACK_TCP);
    }

    /**
     * {@return the hello to write}
     *
     * @param mine what this side has
     */
    byte[] hello(Hello mine) {
        move(HandshakeState.C_HELLO_SEND);
        return switch (version) {
            case V3 -> HelloV3.encode(told(mine));
            case V2 -> HelloV2.encode(mine);
            case V1 -> throw new IllegalStateException("version: 1 (expected: 2 or 3)");
        };
    }

    /** The kernel has the hello. */
    void helloWritten() {
        move(HandshakeState.C_HELLO_WAIT);
    }

    /**
     * Takes bytes from the server.
     *
     * @param in what has arrived; what is not part of the server's hello is left in it
     * @return AWAIT, BRING_UP or REFUSE
     * @throws TransportException with EPROTO if the server broke the protocol
     */
    HandshakeDecision receive(ByteBuffer in) {
        if (state() != HandshakeState.C_HELLO_WAIT) {
            return HandshakeDecision.AWAIT;
        }
        try {
            return readHello(in);
        } catch (TransportException e) {
            fail();
            throw e;
        }
    }

    /**
     * {@return the ACK to write}
     *
     * @param rdma whether this side's queue pair is ready to send
     */
    byte[] acknowledge(boolean rdma) {
        decide(rdma ? RdmaState.RDMA_ON : RdmaState.RDMA_OFF);
        move(HandshakeState.C_ACK_SEND);
        return AckReader.encode(rdma);
    }

    /** {@return how to go on now that the kernel has the ACK: RDMA or TCP} */
    HandshakeDecision acknowledgementWritten() {
        boolean rdma = rdmaState() == RdmaState.RDMA_ON;
        move(rdma ? HandshakeState.ESTABLISHED : HandshakeState.FALLBACK_TCP);
        return rdma ? HandshakeDecision.RDMA : HandshakeDecision.TCP;
    }

    private HandshakeDecision readHello(ByteBuffer in) {
        checkMagic(in);
        received(magicSeen ? reader.read(in) : Optional.empty());
        if (received().isEmpty()) {
            return HandshakeDecision.AWAIT;
        }
        if (received().get().version() != version) {
            throw new TransportException(
                    TransportError.EPROTO, "malformed hello: msg_len: 38 (expected: 40..4096)");
        }
        if (received().get() instanceof ReceivedHello.Refusal) {
            return HandshakeDecision.REFUSE;
        }
        move(HandshakeState.C_BRINGUP_QP);
        return HandshakeDecision.BRING_UP;
    }

    private void checkMagic(ByteBuffer in) {
        if (!magicSeen && !version.mayBegin(in)) {
            throw new TransportException(
                    TransportError.EPROTO,
                    "hello: wrong magic (expected: that of version " + version() + ")");
        }
        magicSeen = magicSeen || in.remaining() >= HelloVersion.MAGIC_BYTES;
    }
}
