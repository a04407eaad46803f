// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.grpc.test.EchoRequest;
import io.verbena.grpc.test.EchoService;
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
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** gRPC through registries that list servers which are dead, slow, or come back. */
class GrpcClusterTest {
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
        try (GrpcFixture fixture = new GrpcFixture(mode)) {
            Server alive = fixture.server(new EchoResponder(), ServerOptions.DEFAULT);
            Channel channel = fixture.cluster(list(DEAD, port(alive)), ChannelOptions.DEFAULT);

            assertThat(retries(channel, 200)).isEqualTo(1);
        }
    }

    @Test
    void shouldGoOnWithoutAServerOfAFileThatIsKilled(@TempDir Path folder) throws IOException {
        try (GrpcFixture fixture = new GrpcFixture(SocketMode.TCP)) {
            Server first = fixture.server(new EchoResponder(), ServerOptions.DEFAULT);
            Server second = fixture.server(new EchoResponder(), ServerOptions.DEFAULT);
            Path servers = folder.resolve("servers");
            Files.writeString(
                    servers, "127.0.0.1:" + port(first) + "\n127.0.0.1:" + port(second) + "\n");
            Channel channel = fixture.cluster("file://" + servers, ChannelOptions.DEFAULT);
            assertThat(retries(channel, 20)).isZero();

            first.close(Duration.ofSeconds(10));

            assertThat(retries(channel, 200)).isLessThanOrEqualTo(2);
        }
    }

    @Test
    void shouldCallAServerAgainThatIsBack() {
        try (GrpcFixture fixture = new GrpcFixture(SocketMode.TCP)) {
            fixture.clientFlags().set(RpcFlag.HEALTH_CHECK_INTERVAL, 1L);
            int port = FreePort.choose();
            Channel channel = fixture.cluster(list(port), ChannelOptions.DEFAULT);
            assertThat(call(channel)).isEqualTo(RpcError.EHOSTDOWN.code());

            fixture.server(new EchoResponder(), ServerOptions.DEFAULT, port);

            Eventually.become(() -> call(channel) == 0, () -> "not called again");
        }
    }

    @Test
    void shouldSayWhatItHasTriedWhenAllServersAreDead() {
        try (GrpcFixture fixture = new GrpcFixture(SocketMode.TCP)) {
            Channel channel = fixture.cluster(list(DEAD, DEAD + 1), ChannelOptions.DEFAULT);
            try (ClientCall call = channel.newCall()) {
                assertThat(call(channel, call)).isEqualTo(RpcError.EHOSTDOWN.code());

                assertThat(call.errorText()).contains("[E111]", "[R1][E111]", "[R2][E112]");
            }
        }
    }

    /** A call with streams is not tried again, but tells the next ones. */
    @Test
    void shouldLeaveOutADeadServerThatACallWithStreamsHasFound() {
        try (GrpcFixture fixture = new GrpcFixture(SocketMode.TCP)) {
            Server alive = fixture.server(new EchoResponder(), ServerOptions.DEFAULT);
            Channel channel = fixture.cluster(list(DEAD, port(alive)), ChannelOptions.DEFAULT);
            int failed = 0;
            for (int i = 0; i < 20; i++) {
                failed += isRepeated(channel) ? 0 : 1;
            }

            assertThat(failed).isEqualTo(1);
        }
    }

    private static boolean isRepeated(Channel channel) {
        EchoRequest request = EchoRequest.newBuilder().setMessage("r").setCount(1).build();
        try (var responses = channel.serverStream(EchoService.Methods.REPEAT, request)) {
            return responses.next().getMessage().equals("r0");
        } catch (RpcException e) {
            assertThat(e.code()).isEqualTo(RpcError.ECONNREFUSED.code());
            return false;
        }
    }

    @ParameterizedTest
    @EnumSource(SocketMode.class)
    void shouldAskAnotherServerWhenTheFirstTakesLong(SocketMode mode) throws Exception {
        EchoResponder slow = new EchoResponder();
        EchoResponder quick = new EchoResponder();
        quick.gate.countDown();
        try (GrpcFixture fixture = new GrpcFixture(mode)) {
            Server slowServer = fixture.server(slow, ServerOptions.DEFAULT);
            Server quickServer = fixture.server(quick, ServerOptions.DEFAULT);
            Channel channel =
                    fixture.cluster(
                            list(port(slowServer), port(quickServer)),
                            ChannelOptions.DEFAULT.withBackupRequestMs(20));
            EchoRequest waiting =
                    EchoRequest.newBuilder().setSleepMs(EchoResponder.WAITING).build();
            int backups = 0;
            for (int i = 0; i < 4; i++) {
                try (ClientCall call = channel.newCall()) {
                    channel.call(EchoService.Methods.ECHO, waiting, call);
                    backups += call.hasBackupRequest() ? 1 : 0;
                }
            }

            assertThat(backups).isPositive();
            assertThat(slow.canceled.await(20, TimeUnit.SECONDS)).isTrue();
            slow.gate.countDown();
        }
    }
}
