// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.balance;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpc.spi.ServerNode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The points of servers on the ring, where brpc has them. */
class PointsTest {
    private static int[] points(Points points, String ip, int count) throws UnknownHostException {
        int[] found = new int[count];
        points.of(
                new ServerNode(new InetSocketAddress(InetAddress.getByName(ip), 8000), ""),
                found,
                0,
                count);
        return found;
    }

    /** {@code printf 10.0.0.1:8000-0 | md5sum} is 2f8350da 7730785c 25d7a1bf 65a3d618. */
    @Test
    void shouldTakeTheFirstBytesOfTheMd5() throws UnknownHostException {
        int[] points = points(Points.MD5, "10.0.0.1", 100);

        assertThat(points[0]).isEqualTo(0xda50832f);
        // 6339147d 0794c80d 58afcf56 b31dc45a
        assertThat(points[99]).isEqualTo(0x7d143963);
    }

    @Test
    void shouldTakeAllWordsOfTheMd5ForKetama() throws UnknownHostException {
        assertThat(points(Points.KETAMA, "10.0.0.1", 100))
                .startsWith(0xda50832f, 0x5c783077, 0xbfa1d725, 0x18d6a365);
    }

    @Test
    void shouldHashAddressAndNumberWithMurmur() throws UnknownHostException {
        assertThat(points(Points.MURMUR, "10.0.0.1", 1)).containsExactly(0xe232baae);
    }

    /** {@code printf '[fd00::1]:8000-0' | md5sum} is 54bf8a15 bc58ec2e c5b5c3aa 134f0514. */
    @Test
    void shouldHashTheShortFormOfIpv6() throws UnknownHostException {
        assertThat(points(Points.KETAMA, "fd00::1", 4))
                .containsExactly(0x158abf54, 0x2eec58bc, 0xaac3b5c5, 0x14054f13);
    }

    /** As printed by {@code inet_ntop} of glibc. */
    @ParameterizedTest
    @CsvSource({
        "00000000000000000000000000000000, ::",
        "00000000000000000000000000000001, ::1",
        "00000000000000000000000001020304, ::1.2.3.4",
        "00000000000000000000000000010002, ::0.1.0.2",
        "00000000000000000000ffff01020304, ::ffff:1.2.3.4",
        "0000000000000000ffff000000010002, ::ffff:0:1:2",
        "fd000000000000000000000000000001, fd00::1",
        "00010000000000020000000000000000, 1:0:0:2::",
        "20010db8000000010001000100010001, 2001:db8:0:1:1:1:1:1",
        "00010000000000020000000000030004, 1::2:0:0:3:4",
        "20010db800000000000000a000000001, 2001:db8::a0:0:1",
        "00010002000300040005000600070000, 1:2:3:4:5:6:7:0",
        "00000001000000000000000000000000, 0:1::",
        "00000000000000020000000000000001, ::2:0:0:0:1",
        "fe800000000000000001000000000001, fe80::1:0:0:1"
    })
    void shouldWriteIpv6AsGlibcDoes(String bytes, String text) {
        assertThat(Ipv6Text.of(HexFormat.of().parseHex(bytes))).isEqualTo(text);
    }
}
