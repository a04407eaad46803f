// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.handshake;

import static io.verbena.transport.handshake.HelloBaselineTest.HELLO;
import static io.verbena.transport.handshake.HelloBaselineTest.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import io.verbena.transport.rdma.Hello;
import io.verbena.verbs.Gid;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class HelloReaderTest {
    private static final String GID_FIELD = "2a 10" + " 11".repeat(16);

    @ParameterizedTest
    @EnumSource(names = {"V2", "V3"})
    void shouldReadWhatWasWritten(HelloVersion version) {
        assertThat(read(version, encode(version, HELLO)))
                .contains(new ReceivedHello.Offer(version, HELLO));
    }

    @ParameterizedTest
    @EnumSource(names = {"V2", "V3"})
    void shouldReadByteByByte(HelloVersion version) {
        byte[] message = encode(version, HELLO);
        HelloReader reader = new HelloReader(version);

        for (int i = 0; i < message.length - 1; i++) {
            assertThat(reader.read(ByteBuffer.wrap(message, i, 1))).isEmpty();
        }

        assertThat(reader.read(ByteBuffer.wrap(message, message.length - 1, 1)))
                .contains(new ReceivedHello.Offer(version, HELLO));
    }

    @ParameterizedTest
    @EnumSource(names = {"V2", "V3"})
    void shouldLeaveWhatFollows(HelloVersion version) {
        byte[] message = encode(version, HELLO);
        ByteBuffer in = ByteBuffer.wrap(Arrays.copyOf(message, message.length + 9));

        new HelloReader(version).read(in);

        assertThat(in.remaining()).isEqualTo(9);
    }

    @ParameterizedTest
    @ValueSource(ints = {41, 48, 4096})
    void shouldSkipExtensionOfV2(int length) {
        byte[] message = Arrays.copyOf(HelloV2.encode(HELLO), length + 4);
        ByteBuffer in = ByteBuffer.wrap(message).putShort(4, (short) length);

        assertThat(new HelloReader(HelloVersion.V2).read(in))
                .contains(new ReceivedHello.Offer(HelloVersion.V2, HELLO));
        assertThat(in.remaining()).isEqualTo(4);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 35, 37, 38, 39, 4097, 65535})
    void shouldRefuseLengthOfV2WithoutWaitingForMore(int length) {
        byte[] head = Arrays.copyOf(HelloV2.encode(HELLO), 8);
        ByteBuffer.wrap(head).putShort(4, (short) length);

        assertProtocolError(HelloVersion.V2, head);
    }

    @Test
    void shouldRecogniseV1() {
        byte[] message = Arrays.copyOf(HelloV2.encode(HELLO), 38);
        ByteBuffer.wrap(message).putShort(4, (short) 38).putShort(6, (short) 1);

        assertThat(read(HelloVersion.V2, message))
                .get()
                .isInstanceOf(ReceivedHello.Refusal.class)
                .extracting(ReceivedHello::version)
                .isEqualTo(HelloVersion.V1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"00000000", "00002001", "80000000", "ffffffff"})
    void shouldRefuseLengthOfV3WithoutWaitingForMore(String length) {
        assertProtocolError(HelloVersion.V3, bytes("52444d33" + length));
    }

    @Test
    void shouldReadLongestV3() {
        byte[] message = Arrays.copyOf(HelloV3.encode(HELLO), 8 + 8192);
        int written = HelloV3.encode(HELLO).length;
        // An unknown field fills the rest: tag 8, length in two bytes.
        int rest = message.length - written - 3;
        ByteBuffer.wrap(message)
                .putInt(4, 8192)
                .put(written, (byte) (8 << 3 | 2))
                .put(written + 1, (byte) (rest & 0x7F | 0x80))
                .put(written + 2, (byte) (rest >>> 7));

        assertThat(read(HelloVersion.V3, message))
                .contains(new ReceivedHello.Offer(HelloVersion.V3, HELLO));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0000 0001", "0002 0000", "0003 0001", "0002 0002", "ffff 0000"})
    void shouldTakeOtherVersionsForRefusals(String versions) {
        byte[] message = HelloV2.encode(HELLO);
        System.arraycopy(bytes(versions), 0, message, 6, 4);

        assertThat(read(HelloVersion.V2, message)).get().isInstanceOf(ReceivedHello.Refusal.class);
    }

    @ParameterizedTest
    @EnumSource(names = {"V2", "V3"})
    void shouldTakeSizesBelowTheLeastForRefusals(HelloVersion version) {
        assertThat(offered(version, 1024, 16, 16)).isTrue();
        assertThat(offered(version, 1023, 16, 16)).isFalse();
        assertThat(offered(version, 1024, 15, 16)).isFalse();
        assertThat(offered(version, 1024, 16, 15)).isFalse();
        assertThat(offered(version, 0, 0, 0)).isFalse();
    }

    @ParameterizedTest
    @EnumSource(names = {"V2", "V3"})
    void shouldReadLargeBlockSizeAsPositive(HelloVersion version) {
        Hello hello = new Hello(-1, 16, 16, 0, Gid.ZERO, 1, Optional.empty());

        assertThat(read(version, encode(version, hello)))
                .get()
                .extracting(received -> ((ReceivedHello.Offer) received).hello().blockSize())
                .isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void shouldNotMindQueuePairZeroInV2() {
        Hello hello = new Hello(1024, 16, 16, 0, Gid.ZERO, 0, Optional.empty());

        assertThat(read(HelloVersion.V2, HelloV2.encode(hello)))
                .contains(new ReceivedHello.Offer(HelloVersion.V2, hello));
        assertThat(read(HelloVersion.V3, HelloV3.encode(hello)))
                .get()
                .isInstanceOf(ReceivedHello.Refusal.class);
    }

    @Test
    void shouldReadEce() {
        Hello hello = HelloBaselineTest.withEce(HELLO, new Hello.Ece(1, -1, 3));

        assertThat(read(HelloVersion.V3, HelloV3.encode(hello)))
                .contains(new ReceivedHello.Offer(HelloVersion.V3, hello));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "08 80 08 10 10 18 10 20 00 30 01", // no gid
                "10 10 18 10 20 00" + " 30 01", // neither block_size nor gid
                "08 80 08 10 10 18 10 20 00 32 01 01" + " 2a 00", // qp_num is no varint
                "08", // ends after a tag
                "08 80", // ends inside a varint
                "08 ff ff ff ff ff ff ff ff ff ff 01", // varint of 11 bytes
                "2a 7f 00", // length beyond the end
                "2a ff ff ff ff 0f", // negative length
                "00 00", // field number 0
                "0c", // a group ends that never began
                "43 08 01", // a group that does not end
                "43 4c", // a group that ends another
                "0e", // wire type 6
                "0f", // wire type 7
                "41 00 00", // ends inside eight bytes
                "45 00", // ends inside four bytes
                "3a 02 08 01", // ece without its required fields
            })
    void shouldRefuseMalformedMessage(String body) {
        assertProtocolError(HelloVersion.V3, v3(body));
    }

    @Test
    void shouldRefuseIncompleteEce() {
        assertProtocolError(
                HelloVersion.V3,
                v3("08 80 08 10 10 18 10 20 00 30 01 3a 04 08 01 10 01" + GID_FIELD));
    }

    @Test
    void shouldRefuseDeepGroups() {
        assertProtocolError(HelloVersion.V3, v3("43".repeat(4000) + "44".repeat(4000)));
    }

    @Test
    void shouldSkipUnknownFieldsAndTakeTheLastValue() {
        byte[] message =
                v3(
                        "40 01 41 0102030405060708 42 02 aabb 43 50 01 44 45 01020304"
                                + "08 01 08 80 08 10 10 18 10 20 00 30 01"
                                + GID_FIELD);

        assertThat(read(HelloVersion.V3, message))
                .get()
                .extracting(received -> ((ReceivedHello.Offer) received).hello().blockSize())
                .isEqualTo(1024);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "08 80 08 10 10 18 10 20 00 30 01 2a 0f 000000000000000000000000000000",
                "08 80 08 10 10 18 10 20 00 30 01 2a 00",
                "08 80 08 10 80 80 04 18 10 20 00 30 01 2a 10 00000000000000000000000000000000",
                "08 80 08 10 10 18 10 20 80 80 04 30 01 2a 10 00000000000000000000000000000000",
            })
    void shouldTakeValuesThatDoNotFitForRefusals(String body) {
        assertThat(read(HelloVersion.V3, v3(body))).get().isInstanceOf(ReceivedHello.Refusal.class);
    }

    private static byte[] v3(String body) {
        byte[] message = bytes(body);
        return ByteBuffer.allocate(8 + message.length)
                .putInt(HelloVersion.V3.magic())
                .putInt(message.length)
                .put(message)
                .array();
    }

    private static boolean offered(HelloVersion version, int block, int sq, int rq) {
        Hello hello = new Hello(block, sq, rq, 0, Gid.ZERO, 1, Optional.empty());
        return read(version, encode(version, hello)).orElseThrow() instanceof ReceivedHello.Offer;
    }

    private static Optional<ReceivedHello> read(HelloVersion version, byte[] message) {
        return new HelloReader(version).read(ByteBuffer.wrap(message));
    }

    private static byte[] encode(HelloVersion version, Hello hello) {
        return version == HelloVersion.V3 ? HelloV3.encode(hello) : HelloV2.encode(hello);
    }

    private static void assertProtocolError(HelloVersion version, byte[] message) {
        assertThatThrownBy(() -> read(version, message))
                .isInstanceOfSatisfying(
                        TransportException.class,
                        e -> assertThat(e.error()).isEqualTo(TransportError.EPROTO));
    }
}
