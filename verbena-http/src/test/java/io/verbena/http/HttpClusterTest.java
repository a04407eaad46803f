// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.http.test.EchoRequest;
import io.verbena.http.test.EchoResponse;
import io.verbena.http.test.EchoService;
import io.verbena.rpc.Call;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.ClientCall;
import io.verbena.rpc.RpcError;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.RpcFlag;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.testing.Eventually;
import io.verbena.testing.FreePort;
import io.verbena.transport.SocketMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** HTTP through registries that list servers which are dead, slow, or come back. */
class HttpClusterTest {
    private static final int DEAD = 1;

    private static String list(int... ports) {
        StringBuilder url = new StringBuilder("list://");
        for (int port : ports) {
            url.append(url.charAt(url.length() - 1) == '/' ? "" : ",").append("127.0.0.1:");
            url.append(port);
        }
        return url.toString();
    }

    private static int port(Server server) {
        return server.address().getPort();
    }

    /** {@return brpc's code; 0 if the call succeeded} */
    private static int call(Channel channel, ClientCall call) {
        try {
            channel.call(
                    EchoService.Methods.ECHO,
                    EchoRequest.newBuilder().setMessage("x").build(),
                    call);
            return 0;
        } catch (RpcException e) {
            return e.code();
        }
    }

    private static int call(Channel channel) {
        try (ClientCall call = channel.newCall()) {
            return call(channel, call);
        }
    }

    /** {@return how many tries beyond the first some calls took, of which none failed} */
    private static int retries(Channel channel, int calls) {
        int retries = 0;
        for (int i = 0; i < calls; i++) {
            try (ClientCall call = channel.newCall()) {
                assertThat(call(channel, call)).isZero();
                retries += call.retriedCount();
            }
        }
        return retries;
    }

    @ParameterizedTest
    @EnumSource(SocketMode.class)
    void shouldTryADeadServerOnlyOnce(SocketMode mode) {
        try (HttpFixture fixture = new HttpFixture(mode)) {
            Server alive = fixture.server(new EchoResponder(), ServerOptions.DEFAULT);
            Channel channel = fixture.httpCluster(list(DEAD, port(alive)), ChannelOptions.DEFAULT);

            assertThat(retries(channel, 200)).isEqualTo(1);
        }
    }

    @Test
    void shouldGoOnWithoutAServerOfAFileThatIsKilled(@TempDir Path folder) throws IOException {
        try (HttpFixture fixture = new HttpFixture(SocketMode.TCP)) {
            Server first = fixture.server(new EchoResponder(), ServerOptions.DEFAULT);
            Server second = fixture.server(new EchoResponder(), ServerOptions.DEFAULT);
            Path servers = folder.resolve("servers");
            Files.writeString(
                    servers, "127.0.0.1:" + port(first) + "\n127.0.0.1:" + port(second) + "\n");
            Channel channel = fixture.httpCluster("file://" + servers, ChannelOptions.DEFAULT);
            assertThat(retries(channel, 20)).isZero();

            first.close(Duration.ofSeconds(10));

            assertThat(retries(channel, 200)).isLessThanOrEqualTo(2);
        }
    }

    @Test
    void shouldCallAServerAgainThatIsBack() {
        try (HttpFixture fixture = new HttpFixture(SocketMode.TCP)) {
            fixture.clientFlags().set(RpcFlag.HEALTH_CHECK_INTERVAL, 1L);
            int port = FreePort.choose();
            Channel channel = fixture.httpCluster(list(port), ChannelOptions.DEFAULT);
            assertThat(call(channel)).isEqualTo(RpcError.EHOSTDOWN.code());

            fixture.server(new EchoResponder(), ServerOptions.DEFAULT, port);

            Eventually.become(() -> call(channel) == 0, () -> "not called again");
        }
    }

    @Test
    void shouldSayWhatItHasTriedWhenAllServersAreDead() {
        try (HttpFixture fixture = new HttpFixture(SocketMode.TCP)) {
            Channel channel = fixture.httpCluster(list(DEAD, DEAD + 1), ChannelOptions.DEFAULT);
            try (ClientCall call = channel.newCall()) {
                assertThat(call(channel, call)).isEqualTo(RpcError.EHOSTDOWN.code());

                assertThat(call.errorText()).contains("[E111]", "[R1][E111]", "[R2][E112]");
            }
        }
    }

    @Test
    void shouldAskAnotherServerWhenTheFirstTakesLong() {
        CountDownLatch gate = new CountDownLatch(1);
        EchoResponder slow =
                new EchoResponder() {
                    @Override
                    public EchoResponse echo(Call call, EchoRequest request) {
                        try {
                            gate.await();
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                        return super.echo(call, request);
                    }
                };
        try (HttpFixture fixture = new HttpFixture(SocketMode.TCP)) {
            Server slowServer = fixture.server(slow, ServerOptions.DEFAULT);
            Server quickServer = fixture.server(new EchoResponder(), ServerOptions.DEFAULT);
            Channel channel =
                    fixture.httpCluster(
                            list(port(slowServer), port(quickServer)),
                            ChannelOptions.DEFAULT.withBackupRequestMs(20));
            int backups = 0;
            for (int i = 0; i < 4; i++) {
                try (ClientCall call = channel.newCall()) {
                    assertThat(call(channel, call)).isZero();
                    backups += call.hasBackupRequest() ? 1 : 0;
                }
            }

            assertThat(backups).isPositive();
            gate.countDown();
        }
    }
}
