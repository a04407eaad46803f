// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.BlockPoolOptions;
import io.verbena.transport.SocketMode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** More connections than the registered memory has receives for. */
class CrowdedServerTest {
    /** A region of 32 MiB; a connection takes one for its receives. */
    private static final BlockPoolOptions SMALL =
            RpcFixture.POOL.withSizesMb(32, 32).withDivision(1, 1, 0);

    @Test
    void shouldServeThoseForWhichThereIsNoMemoryOverTcp() {
        try (RpcFixture fixture = new RpcFixture(SocketMode.RDMA, RpcFixture.FLAGS, SMALL)) {
            Server server = fixture.server(ServerOptions.DEFAULT.withSocketMode(SocketMode.RDMA));
            List<Channel> channels = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                channels.add(
                        fixture.channel(
                                server,
                                RpcFixture.PATIENT
                                        .withSocketMode(SocketMode.RDMA)
                                        .withMaxRetry(0)
                                        .withConnectionGroup("crowd-" + i)));
            }
            int overRdma = 0;
            for (int round = 0; round < 2; round++) {
                overRdma = 0;
                for (Channel channel : channels) {
                    try (ClientController controller = channel.controller()) {
                        controller.requestAttachment().append(new byte[100_000]);
                        assertThat(EchoCalls.echo(channel, controller, "x")).isEqualTo("x");
                        overRdma += controller.isRdma() ? 1 : 0;
                    }
                }
            }
            assertThat(overRdma).isBetween(20, 32);
            assertThat(server.connections()).hasSize(channels.size());
        }
    }
}
