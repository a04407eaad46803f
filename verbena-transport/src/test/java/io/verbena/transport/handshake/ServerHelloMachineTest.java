// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.handshake;

import static io.verbena.transport.handshake.HelloBaselineTest.HELLO;
import static io.verbena.transport.handshake.HelloBaselineTest.bytes;
import static io.verbena.transport.handshake.HelloBaselineTest.withEce;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.transport.HandshakeState;
import io.verbena.transport.RdmaState;
import io.verbena.transport.SocketMode;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import io.verbena.transport.rdma.Hello;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServerHelloMachineTest {
    private static final Hello.Ece ECE = new Hello.Ece(1, 2, 3);

    private final ServerHelloMachine handshake = new ServerHelloMachine(SocketMode.RDMA, false);

    @Test
    void shouldPassThroughItsStatesToEstablished() {
        assertThat(handshake.state()).isEqualTo(HandshakeState.UNINIT);
        assertThat(receive(HelloV2.encode(HELLO))).isEqualTo(HandshakeDecision.BRING_UP);
        assertThat(handshake.state()).isEqualTo(HandshakeState.S_ALLOC_QPCQ);
        assertThat(handshake.peer()).isEqualTo(HELLO);
        handshake.allocated();
        assertThat(handshake.state()).isEqualTo(HandshakeState.S_BRINGUP_QP);
        assertThat(handshake.accept(HELLO)).isEqualTo(HelloV2.encode(HELLO));
        assertThat(handshake.state()).isEqualTo(HandshakeState.S_HELLO_SEND);
        handshake.helloWritten();
        assertThat(handshake.state()).isEqualTo(HandshakeState.S_ACK_WAIT);
        assertThat(handshake.rdmaState()).isEqualTo(RdmaState.RDMA_UNKNOWN);

        assertThat(receive(AckReader.encode(true))).isEqualTo(HandshakeDecision.RDMA);

        assertThat(handshake.state()).isEqualTo(HandshakeState.ESTABLISHED);
        assertThat(handshake.rdmaState()).isEqualTo(RdmaState.RDMA_ON);
    }

    @ParameterizedTest
    @ValueSource(strings = {"P", "RP", "RDP", "RDMP", "PRPC", "RDMB", "GET / HTTP/1.1"})
    void shouldLeaveBytesOfPlainClientsUntouched(String text) {
        ByteBuffer in = ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));

        assertThat(handshake.receive(in)).isEqualTo(HandshakeDecision.PLAIN_TCP);

        assertThat(in.position()).isZero();
        assertThat(handshake.state()).isEqualTo(HandshakeState.UNINIT);
        assertThat(handshake.rdmaState()).isEqualTo(RdmaState.RDMA_OFF);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "R", "RD", "RDM"})
    void shouldWaitForTheWholeMagicWithoutTakingIt(String text) {
        ByteBuffer in = ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));

        assertThat(handshake.receive(in)).isEqualTo(HandshakeDecision.AWAIT);

        assertThat(in.position()).isZero();
        assertThat(handshake.state()).isEqualTo(HandshakeState.UNINIT);
    }

    @Test
    void shouldAnswerAsTcpServer() {
        ServerHelloMachine tcp = new ServerHelloMachine(SocketMode.TCP, false);

        assertThat(tcp.receive(ByteBuffer.wrap(HelloV2.encode(HELLO))))
                .isEqualTo(HandshakeDecision.REFUSE);
        assertThat(tcp.refuse()).isEqualTo(HelloV2.encodeTcpServer());
        tcp.helloWritten();
        assertThat(tcp.receive(ByteBuffer.wrap(AckReader.encode(false))))
                .isEqualTo(HandshakeDecision.TCP);
        assertThat(tcp.state()).isEqualTo(HandshakeState.FALLBACK_TCP);
    }

    @Test
    void shouldAnswerV3AsTcpServer() {
        ServerHelloMachine tcp = new ServerHelloMachine(SocketMode.TCP, false);

        tcp.receive(ByteBuffer.wrap(HelloV3.encode(HELLO)));

        assertThat(tcp.refuse()).isEqualTo(HelloV3.encodeRefusal());
        assertThat(tcp.version()).isEqualTo(3);
    }

    @Test
    void shouldRefuseV1InItsOwnForm() {
        byte[] message = Arrays.copyOf(HelloV2.encode(HELLO), 38);
        ByteBuffer.wrap(message).putShort(4, (short) 38).putShort(6, (short) 1);

        assertThat(receive(message)).isEqualTo(HandshakeDecision.REFUSE);
        assertThat(handshake.refuse()).isEqualTo(HelloV2.encodeRefusalOfV1());
        handshake.helloWritten();
        assertThat(receive(AckReader.encode(false))).isEqualTo(HandshakeDecision.TCP);
    }

    @Test
    void shouldLeaveWhatFollowsTheAck() {
        toAckWait();
        ByteBuffer in = ByteBuffer.wrap(bytes("00 00 00 00 50 52 50 43"));

        assertThat(handshake.receive(in)).isEqualTo(HandshakeDecision.TCP);

        assertThat(in.remaining()).isEqualTo(4);
        assertThat(handshake.rdmaState()).isEqualTo(RdmaState.RDMA_OFF);
    }

    @Test
    void shouldIgnoreOtherBitsOfTheAck() {
        toAckWait();

        assertThat(receive(bytes("ff ff ff fe"))).isEqualTo(HandshakeDecision.TCP);
    }

    @Test
    void shouldFailIfAckContradictsItsRefusal() {
        receive(HelloV2.encodeRefusal());
        handshake.refuse();
        handshake.helloWritten();

        assertThatThrownBy(() -> receive(AckReader.encode(true)))
                .isInstanceOfSatisfying(
                        TransportException.class,
                        e -> assertThat(e.error()).isEqualTo(TransportError.EPROTO));
        assertThat(handshake.state()).isEqualTo(HandshakeState.FAILED);
    }

    @Test
    void shouldTakeNoBytesWhileItWorks() {
        receive(HelloV2.encode(HELLO));
        ByteBuffer early = ByteBuffer.wrap(AckReader.encode(true));

        assertThat(handshake.receive(early)).isEqualTo(HandshakeDecision.AWAIT);

        assertThat(early.position()).isZero();
    }

    @Test
    void shouldNotTellEceWhenDisabled() {
        receive(HelloV3.encode(withEce(HELLO, ECE)));

        assertThat(handshake.peer().ece()).isEmpty();
        assertThat(handshake.accept(withEce(HELLO, ECE))).isEqualTo(HelloV3.encode(HELLO));
    }

    @Test
    void shouldNotTellEceThatTheClientDidNot() {
        ServerHelloMachine enabled = new ServerHelloMachine(SocketMode.RDMA, true);
        enabled.receive(ByteBuffer.wrap(HelloV3.encode(HELLO)));

        assertThat(enabled.accept(withEce(HELLO, ECE))).isEqualTo(HelloV3.encode(HELLO));
    }

    @Test
    void shouldTellNegotiatedEce() {
        ServerHelloMachine enabled = new ServerHelloMachine(SocketMode.RDMA, true);
        enabled.receive(ByteBuffer.wrap(HelloV3.encode(withEce(HELLO, ECE))));

        assertThat(enabled.peer().ece()).contains(ECE);
        assertThat(enabled.accept(withEce(HELLO, ECE)))
                .isEqualTo(HelloV3.encode(withEce(HELLO, ECE)));
        assertThat(enabled.accept(HELLO)).isEqualTo(HelloV3.encode(HELLO));
    }

    private void toAckWait() {
        receive(HelloV2.encode(HELLO));
        handshake.allocated();
        handshake.accept(HELLO);
        handshake.helloWritten();
    }

    private HandshakeDecision receive(byte[] message) {
        return handshake.receive(ByteBuffer.wrap(message));
    }
}
