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
import io.verbena.rpc.RpcFlags;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.rpc.testing.ClusterConformance;
import io.verbena.rpc.testing.EchoCluster;
import io.verbena.transport.SocketMode;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** gRPC through registries that list servers which are dead, slow, or come back. */
class GrpcClusterTest extends ClusterConformance {
    @Override
    protected EchoCluster open(SocketMode mode) {
        return new GrpcCluster(mode);
    }

    /** A call with streams is not tried again, but tells the next ones. */
    @Test
    void shouldLeaveOutADeadServerThatACallWithStreamsHasFound() {
        try (EchoCluster cluster = open(SocketMode.TCP)) {
            Server alive = cluster.server(0);
            Channel channel = cluster.cluster(list(DEAD, port(alive)), ChannelOptions.DEFAULT);
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

    private static final class GrpcCluster implements EchoCluster {
        private final GrpcFixture fixture;
        private final EchoResponder slow = new EchoResponder();
        private final EchoResponder failing = new EchoResponder();

        GrpcCluster(SocketMode mode) {
            fixture = new GrpcFixture(mode);
        }

        @Override
        public RpcFlags clientFlags() {
            return fixture.clientFlags();
        }

        @Override
        public Server server(int port) {
            EchoResponder quick = new EchoResponder();
            quick.gate.countDown();
            return fixture.server(quick, ServerOptions.DEFAULT, port);
        }

        @Override
        public Server slowServer() {
            return fixture.server(slow, ServerOptions.DEFAULT);
        }

        @Override
        public Server failingServer() {
            failing.gate.countDown();
            failing.failWith = 4711;
            return fixture.server(failing, ServerOptions.DEFAULT);
        }

        @Override
        public void repair() {
            failing.failWith = 0;
        }

        @Override
        public void release() {
            slow.gate.countDown();
        }

        @Override
        public void awaitCanceled() throws InterruptedException {
            assertThat(slow.canceled.await(20, TimeUnit.SECONDS)).isTrue();
        }

        @Override
        public Channel cluster(String url, ChannelOptions options) {
            return fixture.cluster(url, options);
        }

        @Override
        public Channel hastyCluster(String url, int timeoutMs, int connectTimeoutMs) {
            return fixture.hastyCluster(url, timeoutMs, connectTimeoutMs);
        }

        @Override
        public void echo(Channel channel, ClientCall call) {
            channel.call(
                    EchoService.Methods.ECHO,
                    EchoRequest.newBuilder()
                            .setMessage("x")
                            .setSleepMs(EchoResponder.WAITING)
                            .build(),
                    call);
        }

        @Override
        public void close() {
            release();
            fixture.close();
        }
    }
}
