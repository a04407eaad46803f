// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.handshake;

import static io.verbena.transport.handshake.HelloBaselineTest.HELLO;
import static io.verbena.transport.handshake.HelloBaselineTest.bytes;
import static io.verbena.transport.handshake.HelloBaselineTest.withEce;
import static io.verbena.transport.handshake.HelloBaselineTest.zeros;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.transport.HandshakeState;
import io.verbena.transport.RdmaState;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import io.verbena.transport.rdma.Hello;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClientHelloMachineTest {
    private final ClientHelloMachine handshake = new ClientHelloMachine(HelloVersion.V2, false);

    @Test
    void shouldPassThroughItsStatesToEstablished() {
        assertThat(handshake.state()).isEqualTo(HandshakeState.UNINIT);
        handshake.allocating();
        assertThat(handshake.state()).isEqualTo(HandshakeState.C_ALLOC_QPCQ);
        assertThat(handshake.hello(HELLO)).isEqualTo(HelloV2.encode(HELLO));
        assertThat(handshake.state()).isEqualTo(HandshakeState.C_HELLO_SEND);
        handshake.helloWritten();
        assertThat(handshake.state()).isEqualTo(HandshakeState.C_HELLO_WAIT);
        assertThat(receive(HelloV2.encode(HELLO))).isEqualTo(HandshakeDecision.BRING_UP);
        assertThat(handshake.state()).isEqualTo(HandshakeState.C_BRINGUP_QP);
        assertThat(handshake.peer()).isEqualTo(HELLO);
        assertThat(handshake.acknowledge(true)).isEqualTo(bytes("00000001"));
        assertThat(handshake.state()).isEqualTo(HandshakeState.C_ACK_SEND);

        assertThat(handshake.acknowledgementWritten()).isEqualTo(HandshakeDecision.RDMA);

        assertThat(handshake.state()).isEqualTo(HandshakeState.ESTABLISHED);
        assertThat(handshake.rdmaState()).isEqualTo(RdmaState.RDMA_ON);
    }

    @Test
    void shouldSayNothingWithoutQueuePair() {
        handshake.allocating();

        handshake.unavailable();

        assertThat(handshake.state()).isEqualTo(HandshakeState.FALLBACK_TCP);
        assertThat(handshake.rdmaState()).isEqualTo(RdmaState.RDMA_OFF);
    }

    @Test
    void shouldFallBackIfItsQueuePairCannotBeConnected() {
        toHelloWait();
        receive(HelloV2.encode(HELLO));

        assertThat(handshake.acknowledge(false)).isEqualTo(bytes("00000000"));

        assertThat(handshake.acknowledgementWritten()).isEqualTo(HandshakeDecision.TCP);
        assertThat(handshake.state()).isEqualTo(HandshakeState.FALLBACK_TCP);
    }

    /** HEAD's refusal, a TCP server's, and that of releases which left garbage in the fields. */
    @ParameterizedTest
    @ValueSource(strings = {"0000 0000 00", "ffff 0000 00", "0000 0000 a5"})
    void shouldFallBackOnEveryFormOfRefusal(String versionsAndRest) {
        toHelloWait();
        String rest = versionsAndRest.substring(10);

        assertThat(
                        receive(
                                bytes(
                                        "52444d41 0028"
                                                + versionsAndRest.substring(0, 9)
                                                + rest.repeat(30))))
                .isEqualTo(HandshakeDecision.REFUSE);
        handshake.acknowledge(false);
        assertThat(handshake.acknowledgementWritten()).isEqualTo(HandshakeDecision.TCP);
    }

    @Test
    void shouldFallBackOnRefusalOfV3() {
        ClientHelloMachine v3 = new ClientHelloMachine(HelloVersion.V3, false);
        v3.hello(HELLO);
        v3.helloWritten();

        assertThat(v3.receive(ByteBuffer.wrap(HelloV3.encodeRefusal())))
                .isEqualTo(HandshakeDecision.REFUSE);
        assertThat(v3.objection()).hasValueSatisfying(text -> assertThat(text).contains("qp_num"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"A", "ABCD", "RDM3", "RX"})
    void shouldFailOnWrongMagic(String magic) {
        toHelloWait();

        assertProtocolError(magic.getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void shouldFailOnLengthOfV1() {
        toHelloWait();

        assertProtocolError(bytes("52444d41 0026 0001 0001" + zeros(28)));
    }

    @ParameterizedTest
    @EnumSource(names = {"V2", "V3"})
    void shouldReadByteByByteAndLeaveTheRest(HelloVersion version) {
        ClientHelloMachine slow = new ClientHelloMachine(version, false);
        slow.hello(HELLO);
        slow.helloWritten();
        byte[] answer = version == HelloVersion.V3 ? HelloV3.encode(HELLO) : HelloV2.encode(HELLO);
        ByteBuffer in = ByteBuffer.allocate(answer.length + 1).put(answer);

        // As with a socket: bytes that were not taken stay in front of what comes next.
        in.flip().limit(0);
        for (int i = 1; i < answer.length; i++) {
            in.limit(i);
            assertThat(slow.receive(in)).isEqualTo(HandshakeDecision.AWAIT);
        }
        in.limit(answer.length + 1);

        assertThat(slow.receive(in)).isEqualTo(HandshakeDecision.BRING_UP);
        assertThat(in.remaining()).isEqualTo(1);
    }

    @Test
    void shouldTellEceOnlyIfEnabled() {
        Hello mine = withEce(HELLO, new Hello.Ece(1, 2, 3));

        assertThat(new ClientHelloMachine(HelloVersion.V3, false).hello(mine))
                .isEqualTo(HelloV3.encode(HELLO));
        assertThat(new ClientHelloMachine(HelloVersion.V3, true).hello(mine))
                .isEqualTo(HelloV3.encode(mine));
    }

    private void toHelloWait() {
        handshake.allocating();
        handshake.hello(HELLO);
        handshake.helloWritten();
    }

    private HandshakeDecision receive(byte[] message) {
        return handshake.receive(ByteBuffer.wrap(message));
    }

    private void assertProtocolError(byte[] message) {
        assertThatThrownBy(() -> receive(message))
                .isInstanceOfSatisfying(
                        TransportException.class,
                        e -> assertThat(e.error()).isEqualTo(TransportError.EPROTO));
        assertThat(handshake.state()).isEqualTo(HandshakeState.FAILED);
    }
}
