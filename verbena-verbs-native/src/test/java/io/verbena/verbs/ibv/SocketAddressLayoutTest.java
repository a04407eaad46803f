// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.HexFormat;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SocketAddressLayoutTest {
    private final NativeCall call = NativeCall.begin();

    @AfterEach
    void free() {
        call.close();
    }

    @Test
    void shouldWriteVersionFourAsTheHeadersHaveIt() throws UnknownHostException {
        MemorySegment written = SocketAddressLayout.write(call, at("192.0.2.77", 7174));

        assertThat(hex(written)).isEqualTo("0200" + "1c06" + "c000024d" + "0000000000000000");
    }

    @Test
    void shouldWriteVersionSixWithItsScope() throws UnknownHostException {
        byte[] host = InetAddress.getByName("fe80::1").getAddress();

        MemorySegment written =
                SocketAddressLayout.write(
                        call,
                        new InetSocketAddress(Inet6Address.getByAddress(null, host, 3), 65535));

        assertThat(hex(written))
                .isEqualTo(
                        "0a00"
                                + "ffff"
                                + "00000000"
                                + "fe800000000000000000000000000001"
                                + "03000000");
    }

    @ParameterizedTest
    @CsvSource({
        "0.0.0.0, 0",
        "127.0.0.1, 1",
        "255.255.255.255, 65535",
        "::, 0",
        "::1, 32768",
        "fd77::1, 255",
        "fe80::5054:ff:fe77:1, 256"
    })
    void shouldReadWhatItWrote(String host, int port) throws UnknownHostException {
        InetSocketAddress address = at(host, port);

        assertThat(SocketAddressLayout.read(stored(address))).contains(address);
    }

    @Test
    void shouldReadTheScope() throws UnknownHostException {
        byte[] host = InetAddress.getByName("fe80::1").getAddress();
        InetSocketAddress address =
                new InetSocketAddress(Inet6Address.getByAddress(null, host, 7), 4);

        Optional<InetSocketAddress> read = SocketAddressLayout.read(stored(address));

        assertThat(read.map(InetSocketAddress::getAddress))
                .get()
                .isInstanceOfSatisfying(
                        Inet6Address.class, six -> assertThat(six.getScopeId()).isEqualTo(7));
    }

    @ParameterizedTest
    @CsvSource({"0", "1", "27", "65535"})
    void shouldReadNothingFromOtherFamilies(int family) {
        MemorySegment storage = call.allocate(RdmacmLayout.SOCKADDR_STORAGE);
        RdmacmLayout.SIN_FAMILY.set(storage, family);

        assertThat(SocketAddressLayout.read(storage)).isEmpty();
    }

    private MemorySegment stored(InetSocketAddress address) {
        return call.allocate(RdmacmLayout.SOCKADDR_STORAGE)
                .copyFrom(SocketAddressLayout.write(call, address));
    }

    private static InetSocketAddress at(String host, int port) throws UnknownHostException {
        return new InetSocketAddress(InetAddress.getByName(host), port);
    }

    private static String hex(MemorySegment memory) {
        return HexFormat.of().formatHex(memory.toArray(ValueLayout.JAVA_BYTE));
    }
}
