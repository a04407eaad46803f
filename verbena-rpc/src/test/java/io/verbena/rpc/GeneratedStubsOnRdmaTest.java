// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpc.test.probe.ProbeServiceClient;
import io.verbena.transport.SocketMode;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A generated service and its client over RDMA, with attachments; also in the lab. */
class GeneratedStubsOnRdmaTest {
    @Test
    void shouldCallAGeneratedServiceOverRdma() throws Exception {
        try (RpcFixture fixture = new RpcFixture(SocketMode.RDMA)) {
            Server server =
                    fixture.closing(
                            new Server(fixture.serverSide.node)
                                    .add(Probes.service(Probes::echo))
                                    .start(
                                            RpcFixture.anyPort(),
                                            ServerOptions.DEFAULT.withSocketMode(SocketMode.RDMA)));
            Channel channel =
                    fixture.channel(server, RpcFixture.PATIENT.withSocketMode(SocketMode.RDMA));
            ProbeServiceClient client = new ProbeServiceClient(channel);
            try (ClientCall call = channel.newCall()) {
                call.requestAttachment().append(new byte[100_000]);

                assertThat(client.ask(Probes.question("a"), call).getText()).isEqualTo("a");

                assertThat(call.isRdma()).isTrue();
                assertThat(client.askQuickly(Probes.question("b")).getText()).isEqualTo("b");
                assertThat(
                                client.askAsync(Probes.question("c"))
                                        .get(20, TimeUnit.SECONDS)
                                        .getText())
                        .isEqualTo("c");
            }
        }
    }
}
