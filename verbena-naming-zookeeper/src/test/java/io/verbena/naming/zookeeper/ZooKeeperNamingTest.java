// SPDX-License-Identifier: Apache-2.0
package io.verbena.naming.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.rpc.spi.ServerNode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

/** What needs no ZooKeeper. */
class ZooKeeperNamingTest {
    /** Curator refuses paths with an empty part. */
    private static final String MALFORMED = "127.0.0.1:1/a//b";

    private final ZooKeeperNaming naming = new ZooKeeperNaming();

    @Test
    void shouldKeepNoSessionForAMalformedPath() {
        ServerNode server =
                new ServerNode(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1), "");

        assertThatThrownBy(() -> naming.register(MALFORMED, server))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(naming.sessions()).isZero();
    }
}
