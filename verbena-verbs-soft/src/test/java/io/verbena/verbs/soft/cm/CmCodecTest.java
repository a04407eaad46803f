// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft.cm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.testing.Seeds;
import io.verbena.verbs.Gid;
import io.verbena.verbs.PathMtu;
import io.verbena.verbs.soft.cm.CmMessage.DisconnectReply;
import io.verbena.verbs.soft.cm.CmMessage.DisconnectRequest;
import io.verbena.verbs.soft.cm.CmMessage.Endpoint;
import io.verbena.verbs.soft.cm.CmMessage.Offer;
import io.verbena.verbs.soft.cm.CmMessage.ReadyToUse;
import io.verbena.verbs.soft.cm.CmMessage.Reject;
import io.verbena.verbs.soft.cm.CmMessage.Reply;
import io.verbena.verbs.soft.cm.CmMessage.Request;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CmCodecTest {
    private static final Endpoint ENDPOINT =
            new Endpoint(Gid.parse("fe800000000000000102030405060708"), 0x123456, 0xABCDEF);
    private static final String ENDPOINT_HEX =
            "fe80000000000000010203040506070800123456" + "00abcdef";
    static final Request REQUEST =
            new Request(
                    new InetSocketAddress("10.1.2.3", 22222),
                    new InetSocketAddress("2001:db8::1", 40000),
                    ENDPOINT,
                    new Offer(3, 4, 5, 7),
                    PathMtu.MTU_1024,
                    PrivateData.of(new byte[] {1, 2, 3}, 3));
    static final Reply REPLY =
            new Reply(ENDPOINT, new Offer(255, 4, 0, 6), PrivateData.of(new byte[196], 196));
    private static final List<CmMessage> ALL =
            List.of(
                    REQUEST,
                    REPLY,
                    new ReadyToUse(),
                    new Reject(28, PrivateData.of(new byte[148], 148)),
                    new DisconnectRequest(),
                    new DisconnectReply());

    @Test
    void shouldKeepTheBytesOfRequest() {
        assertThat(hex(REQUEST))
                .isEqualTo(
                        "5642434d01010045"
                                + "00000000000000000000ffff0a010203"
                                + "56ce"
                                + "9c40"
                                + "20010db8000000000000000000000001"
                                + ENDPOINT_HEX
                                + "0304050703"
                                + "03010203");
    }

    @Test
    void shouldKeepTheBytesOfReply() {
        Reply reply =
                new Reply(ENDPOINT, new Offer(255, 4, 0, 6), PrivateData.of(new byte[] {9}, 1));

        assertThat(hex(reply)).isEqualTo("5642434d0102001d" + ENDPOINT_HEX + "ff0406" + "0109");
    }

    @Test
    void shouldKeepTheBytesOfShortMessages() {
        assertThat(hex(new ReadyToUse())).isEqualTo("5642434d01030000");
        assertThat(hex(new Reject(28, PrivateData.of(new byte[] {7}, 1))))
                .isEqualTo("5642434d01040004001c0107");
        assertThat(hex(new DisconnectRequest())).isEqualTo("5642434d01050000");
        assertThat(hex(new DisconnectReply())).isEqualTo("5642434d01060000");
    }

    @Test
    void shouldDecodeWhatItEncodes() throws CmProtocolException {
        for (CmMessage message : ALL) {
            assertThat(decode(CmCodec.encode(message))).isEqualTo(message);
        }
    }

    @Test
    void shouldUnderstandRejectOfAnyVersion() throws CmProtocolException {
        Reject reject = new Reject(31, PrivateData.NONE);

        assertThat(decode(CmCodec.encode(reject).put(4, (byte) 99))).isEqualTo(reject);
    }

    @Test
    void shouldNameWhatIsWrong() {
        assertThatThrownBy(() -> decode(CmCodec.encode(REQUEST).putInt(0, 5)))
                .hasMessage("magic: 0x00000005 (expected: 0x5642434d)");
        assertThatThrownBy(() -> decode(CmCodec.encode(REQUEST).put(4, (byte) 2)))
                .hasMessage("version: 2 (expected: 1)");
        assertThatThrownBy(() -> decode(CmCodec.encode(REQUEST).put(5, (byte) 7)))
                .hasMessage("type: 7 (expected: 1..6)");
        assertThatThrownBy(() -> decode(CmCodec.encode(REQUEST).putShort(6, (short) -1)))
                .hasMessage("length: 65535 (expected: 66..122)");
        assertThatThrownBy(() -> decode(CmCodec.encode(REQUEST).put(8 + 64, (byte) 6)))
                .hasMessage("mtu: 6 (expected: 1..5)");
        assertThatThrownBy(() -> decode(CmCodec.encode(REQUEST).put(8 + 65, (byte) 4)))
                .hasMessage("length of private data: 4 (expected: 3..3)");
        assertThatThrownBy(() -> decode(CmCodec.encode(REQUEST).put(8 + 52, (byte) 1)))
                .hasMessage("queue pair: 17970262 (expected: 0..16777215)");
    }

    @Test
    void shouldSurviveRandomBytes() {
        Random random = new Random(Seeds.next("CmCodecTest"));
        byte[] bytes = new byte[CmCodec.HEADER + CmCodec.MAX_BODY];
        for (int i = 0; i < 100_000; i++) {
            random.nextBytes(bytes);
            decodeOrRefuse(ByteBuffer.wrap(bytes, 0, random.nextInt(bytes.length)).slice());
        }
    }

    @Test
    void shouldSurviveDamagedMessages() {
        Random random = new Random(Seeds.next("CmCodecTest"));
        int understood = 0;
        for (int i = 0; i < 200_000; i++) {
            ByteBuffer bytes = CmCodec.encode(ALL.get(i % ALL.size()));
            for (int damage = random.nextInt(3); damage >= 0; damage--) {
                bytes.put(random.nextInt(bytes.limit()), (byte) random.nextInt());
            }
            bytes.limit(random.nextInt(4) == 0 ? random.nextInt(bytes.limit() + 1) : bytes.limit());
            understood += decodeOrRefuse(bytes) ? 1 : 0;
        }
        assertThat(understood).isBetween(1, 199_999);
    }

    private static boolean decodeOrRefuse(ByteBuffer bytes) {
        try {
            return CmCodec.encode(decode(bytes)).limit() == bytes.limit();
        } catch (CmProtocolException _) {
            return false;
        }
    }

    private static CmMessage decode(ByteBuffer bytes) throws CmProtocolException {
        if (bytes.remaining() < CmCodec.HEADER) {
            throw new CmProtocolException("shorter than a header");
        }
        CmCodec.Header header = CmCodec.decodeHeader(bytes);
        // A socket reads exactly that length: the bytes after it are the next message.
        bytes.limit(Math.min(bytes.limit(), CmCodec.HEADER + header.length()));
        return CmCodec.decodeBody(header, bytes);
    }

    private static String hex(CmMessage message) {
        ByteBuffer encoded = CmCodec.encode(message);
        byte[] bytes = new byte[encoded.remaining()];
        encoded.get(bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
