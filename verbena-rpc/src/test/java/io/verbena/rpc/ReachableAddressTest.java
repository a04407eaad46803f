// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which address of a host a server announces. */
class ReachableAddressTest {
    private static final InetSocketAddress EVERYWHERE = new InetSocketAddress(8002);

    private static InetAddress ip(String text) {
        try {
            return InetAddress.getByName(text);
        } catch (UnknownHostException e) {
            throw new AssertionError("numbers are an address", e);
        }
    }

    private static String choose(String named, String... others) {
        List<InetAddress> found = new ArrayList<>();
        for (String each : others) {
            found.add(ip(each));
        }
        return ReachableAddress.choose(
                        Optional.of(named)
                                .filter(name -> !name.isEmpty())
                                .map(ReachableAddressTest::ip),
                        found,
                        EVERYWHERE)
                .getHostAddress();
    }

    @Test
    void shouldTakeTheAddressOfTheHostsName() {
        assertThat(choose("10.0.0.1", "10.0.0.2")).isEqualTo("10.0.0.1");
    }

    @Test
    void shouldNotAnnounceTheLoopbackAddressThatDebianGivesTheHostsName() {
        assertThat(choose("127.0.1.1", "fe80::1", "169.254.1.1", "10.0.0.2", "10.0.0.3"))
                .isEqualTo("10.0.0.2");
        assertThat(choose("", "10.0.0.2")).isEqualTo("10.0.0.2");
    }

    @Test
    void shouldPreferIpv4() {
        assertThat(choose("127.0.1.1", "fd00::1", "10.0.0.2")).isEqualTo("10.0.0.2");
        assertThat(choose("127.0.1.1", "fe80::1", "fd00::1")).isEqualTo("fd00:0:0:0:0:0:0:1");
    }

    @Test
    void shouldAnnounceLoopbackOnAHostWithoutANetwork() {
        assertThat(choose("127.0.1.1")).isEqualTo("127.0.1.1");
    }

    @Test
    void shouldSayWhatToDoWhenNoAddressIsOfUse() {
        assertThatThrownBy(() -> choose("127.0.1.1", "fe80::1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("none that others can reach")
                .hasMessageContaining("ServerNode");
        assertThatThrownBy(() -> choose("")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldAnnounceTheAddressThatAServerListensOn() {
        InetSocketAddress own = new InetSocketAddress(ip("127.0.0.1"), 8002);

        assertThat(ReachableAddress.of(own)).isEqualTo(own);
        assertThat(ReachableAddress.of(EVERYWHERE).getPort()).isEqualTo(8002);
        assertThat(ReachableAddress.of(EVERYWHERE).getAddress().isAnyLocalAddress()).isFalse();
    }
}
