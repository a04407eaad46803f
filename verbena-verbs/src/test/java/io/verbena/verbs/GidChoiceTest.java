// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GidChoiceTest {
    private static final Gid LINK_LOCAL = gid("fe80:0000:0000:0000:5054:00ff:fe77:0001");
    private static final Gid MINE = gid("0000:0000:0000:0000:0000:ffff:0a4d:0001");
    private static final Gid STALE = gid("0000:0000:0000:0000:0000:ffff:0a4d:0063");
    private static final Gid MINE_V6 = gid("fd77:0000:0000:0000:0000:0000:0000:0001");
    private static final Set<Gid> LOCAL = Set.of(MINE, MINE_V6);

    @Test
    void shouldPreferIpv4OfThisHost() {
        assertThat(
                        choose(
                                entry(0, LINK_LOCAL, "RoCE v1"),
                                entry(1, LINK_LOCAL, "RoCE v2"),
                                entry(2, MINE_V6, "RoCE v2"),
                                entry(3, STALE, "RoCE v2"),
                                entry(4, MINE, "RoCE v1"),
                                entry(5, MINE, "RoCE v2"),
                                entry(7, MINE, "RoCE v2")))
                .isEqualTo(5);
    }

    @Test
    void shouldTakeGlobalIpv6IfThereIsNoIpv4() {
        assertThat(
                        choose(
                                entry(1, LINK_LOCAL, "RoCE v2"),
                                entry(3, STALE, "RoCE v2"),
                                entry(4, MINE_V6, "RoCE v2")))
                .isEqualTo(4);
    }

    @Test
    void shouldSayWhatToDoIfThereIsNone() {
        assertThatThrownBy(
                        () ->
                                choose(
                                        entry(1, LINK_LOCAL, "RoCE v2"),
                                        entry(3, STALE, "RoCE v2"),
                                        entry(4, MINE, "RoCE v1")))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("port 1")
                .hasMessageContaining("ip addr add")
                .hasMessageContaining("-Drdma_gid_index=")
                .hasMessageContaining("EADDRNOTAVAIL");
    }

    @ParameterizedTest
    @ValueSource(strings = {"IB", "Memory"})
    void shouldTakeTheFirstWhereThereIsNoRoce(String type) {
        assertThat(choose(entry(0, STALE, type), entry(1, MINE, type))).isZero();
    }

    @Test
    void shouldFollowTheUser() {
        assertThat(choice(entry(1, LINK_LOCAL, "RoCE v1"), entry(5, MINE, "RoCE v2")).index("1"))
                .isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "-1", "first", " 5"})
    void shouldRefuseAnIndexThatIsNotThere(String asked) {
        GidChoice choice = choice(entry(1, LINK_LOCAL, "RoCE v2"), entry(5, MINE, "RoCE v2"));

        assertThatThrownBy(() -> choice.index(asked))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("rdma_gid_index: " + asked + " (expected: one of [1, 5])");
    }

    @Test
    void shouldListNoLinkLocalAddresses() {
        assertThat(GidChoice.localAddresses())
                .contains(gid("0000:0000:0000:0000:0000:ffff:7f00:0001"))
                .noneMatch(gid -> gid.high() >>> 48 == 0xfe80);
    }

    private static int choose(GidEntry... entries) {
        return choice(entries).index("");
    }

    private static GidChoice choice(GidEntry... entries) {
        return new GidChoice(1, List.of(entries), LOCAL);
    }

    private static GidEntry entry(int index, Gid gid, String type) {
        return new GidEntry(index, gid, type);
    }

    private static Gid gid(String text) {
        return Gid.parse(text);
    }
}
