// SPDX-License-Identifier: Apache-2.0
package io.verbena.naming;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpc.spi.ServerEntry;
import io.verbena.rpc.spi.ServerNode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ListedServersTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "10.0.0.1:80 | ``",
                "10.0.0.1:80 | zone=a w=3",
                "10.0.0.1:80 | {\"ip\":\"10.0.0.1\",\"port\":80}",
                "some-0000000001 | 10.0.0.1:80",
                "some-0000000001 | 10.0.0.1:80 zone=a w=3",
                "0b9e-uuid | {\"name\":\"s\",\"id\":\"0b9e\",\"address\":\"10.0.0.1\",\"port\":80,\"payload\":null}",
                "x | {\"host\":\"10.0.0.1\",\"port\":80,\"tag\":\"zone=a w=3\"}",
                "x | {\"Op\":0,\"Addr\":\"10.0.0.1:80\",\"Metadata\":null}",
            })
    void shouldReadTheFormsInUse(String name, String value) {
        String tag = value.contains("zone") ? "zone=a w=3" : "";

        assertThat(ListedServers.entry(name, value))
                .isEqualTo(new ServerEntry("10.0.0.1", 80, tag));
    }

    @Test
    void shouldLeaveOutWhatItCannotRead() throws UnknownHostException {
        assertThat(
                        new ListedServers()
                                .read(
                                        Map.of(
                                                "10.0.0.1:80", "5",
                                                "lock", "",
                                                "a", "{",
                                                "b", "{\"port\":1}",
                                                "c", "{\"ip\":\"h\",\"port\":100000}",
                                                "10.0.0.2:80", "w=many")))
                .containsExactly(
                        new ServerNode(
                                new InetSocketAddress(InetAddress.ofLiteral("10.0.0.1"), 80), "5"));
    }

    @Test
    void shouldWriteANumberThatIsNoWeightAsAWord() {
        assertThat(ServerText.withWeight("5", 1)).isEqualTo("5");
        assertThat(ServerText.withWeight("5", 2)).isEqualTo("5 w=2");
        assertThat(ServerText.withWeight("20251116", 1)).isEqualTo("20251116 w=1");
        assertThat(ServerText.withWeight("0", 1)).isEqualTo("0 w=1");
    }

    @Test
    void shouldWriteWhatItReads() throws UnknownHostException {
        ServerNode four =
                new ServerNode(
                        new InetSocketAddress(InetAddress.ofLiteral("10.0.0.1"), 80), "zone=a w=3");
        ServerNode six =
                new ServerNode(new InetSocketAddress(InetAddress.ofLiteral("::1"), 80), "");

        assertThat(
                        new ListedServers()
                                .read(
                                        Map.of(
                                                ServerText.address(four), ServerText.tag(four),
                                                ServerText.address(six), ServerText.tag(six))))
                .containsExactlyInAnyOrder(four, six);
    }
}
