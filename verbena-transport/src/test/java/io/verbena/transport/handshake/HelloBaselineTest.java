// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.handshake;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.transport.rdma.Hello;
import io.verbena.verbs.Gid;
import java.util.HexFormat;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The bytes of every message, frozen: a change here breaks every peer. */
public class HelloBaselineTest {
    public static final Hello HELLO =
            new Hello(
                    8160,
                    128,
                    128,
                    0,
                    Gid.parse("0000:0000:0000:0000:0000:ffff:0a00:0001"),
                    0x123,
                    Optional.empty());

    static final String V2 =
            """
            52 44 4d 41 00 28 00 02 00 01 00 00 1f e0 00 80 00 80 00 00
            00 00 00 00 00 00 00 00 00 00 ff ff 0a 00 00 01 00 00 01 23
            """;

    static final String V3 =
            """
            52 44 4d 33 00 00 00 20 08 e0 3f 10 80 01 18 80 01 20 00 2a 10
            00 00 00 00 00 00 00 00 00 00 ff ff 0a 00 00 01 30 a3 02
            """;

    static final String V3_REFUSAL =
            """
            52 44 4d 33 00 00 00 1c 08 00 10 00 18 00 20 00 2a 10
            00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 30 00
            """;

    @Test
    void shouldKeepTheBytesOfV2() {
        assertThat(HelloV2.encode(HELLO)).isEqualTo(bytes(V2));
    }

    @Test
    void shouldKeepTheBytesOfV2Refusal() {
        assertThat(HelloV2.encodeRefusal()).isEqualTo(bytes("52 44 4d 41 00 28" + zeros(34)));
    }

    @Test
    void shouldKeepTheBytesOfV2AnswerOfTcpServer() {
        assertThat(HelloV2.encodeTcpServer())
                .isEqualTo(bytes("52 44 4d 41 00 28 ff ff" + zeros(32)));
    }

    @Test
    void shouldKeepTheBytesOfTheRefusalOfV1() {
        assertThat(HelloV2.encodeRefusalOfV1()).isEqualTo(bytes("52 44 4d 41 00 26" + zeros(32)));
    }

    @Test
    void shouldKeepTheBytesOfV3() {
        assertThat(HelloV3.encode(HELLO)).isEqualTo(bytes(V3));
    }

    @Test
    void shouldKeepTheBytesOfV3Refusal() {
        assertThat(HelloV3.encodeRefusal()).isEqualTo(bytes(V3_REFUSAL));
    }

    @Test
    void shouldKeepTheBytesOfV3WithEce() {
        Hello hello = withEce(HELLO, new Hello.Ece(0x15b3, 0x10, 1));

        assertThat(HelloV3.encode(hello))
                .isEqualTo(
                        bytes(
                                V3.replace("00 00 00 20", "00 00 00 29")
                                        + "3a 07 08 b3 2b 10 10 18 01"));
    }

    @Test
    void shouldKeepTheBytesOfAck() {
        assertThat(AckReader.encode(true)).isEqualTo(bytes("00 00 00 01"));
        assertThat(AckReader.encode(false)).isEqualTo(bytes("00 00 00 00"));
    }

    @Test
    void shouldSendLargestValuesUnsigned() {
        Hello hello = new Hello(2 << 20, 65535, 65535, 65535, Gid.ZERO, -1, Optional.empty());

        assertThat(HelloV2.encode(hello))
                .isEqualTo(
                        bytes(
                                "52 44 4d 41 00 28 00 02 00 01 00 20 00 00 ff ff ff ff ff ff"
                                        + zeros(16)
                                        + "ff ff ff ff"));
        assertThat(HelloV3.encode(hello))
                .isEqualTo(
                        bytes(
                                "52 44 4d 33 00 00 00 29 08 80 80 80 01 10 ff ff 03 18 ff ff 03"
                                        + "20 ff ff 03 2a 10"
                                        + zeros(16)
                                        + "30 ff ff ff ff 0f"));
    }

    public static Hello withEce(Hello hello, Hello.Ece ece) {
        return new Hello(
                hello.blockSize(),
                hello.sendQueueSize(),
                hello.receiveQueueSize(),
                hello.lid(),
                hello.gid(),
                hello.queuePairNumber(),
                Optional.of(ece));
    }

    static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex.replaceAll("\\s", ""));
    }

    static String zeros(int count) {
        return " 00".repeat(count);
    }
}
