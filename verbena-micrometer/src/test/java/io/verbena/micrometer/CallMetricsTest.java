// SPDX-License-Identifier: Apache-2.0
package io.verbena.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.verbena.micrometer.test.Ping;
import io.verbena.micrometer.test.PingService;
import io.verbena.micrometer.test.PingServiceClient;
import io.verbena.micrometer.test.Pong;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.RpcNode;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.transport.SocketMode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CallMetricsTest {
    private static final PingService SERVICE =
            (call, ping) -> {
                if (ping.getError() != 0) {
                    throw new RpcException(ping.getError(), "as you wish");
                }
                return Pong.getDefaultInstance();
            };

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private static RpcNode open(SocketMode mode) {
        Properties flags = new Properties();
        flags.setProperty("rdma_device", "soft0");
        flags.setProperty("rdma_memory_pool_initial_size_mb", "64");
        return RpcNode.open(mode, flags);
    }

    @ParameterizedTest
    @EnumSource(SocketMode.class)
    void shouldCountAndTimeCallsOnBothSides(SocketMode mode) {
        CallMetrics metrics = new CallMetrics(registry);
        String transport = mode == SocketMode.RDMA ? "rdma" : "tcp";
        try (RpcNode node = open(mode);
                Server server = new Server(node).add(SERVICE)) {
            server.start(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                    ServerOptions.DEFAULT.withSocketMode(mode).withInterceptors(metrics));
            new NodeMetrics(node).bindTo(registry);
            new ServerMetrics(server).bindTo(registry);
            ChannelOptions options =
                    ChannelOptions.DEFAULT
                            .withTimeoutMs(20_000)
                            .withConnectTimeoutMs(10_000)
                            .withSocketMode(mode)
                            .withInterceptors(metrics);
            try (Channel channel =
                    Channel.open(node, "127.0.0.1:" + server.address().getPort(), options)) {
                PingServiceClient client = new PingServiceClient(channel);
                client.hit(Ping.getDefaultInstance());
                client.hit(Ping.getDefaultInstance());
                assertThatThrownBy(() -> client.hit(Ping.newBuilder().setError(4711).build()))
                        .isInstanceOf(RpcException.class);
                assertThat(gauge("verbena.client.connections", transport)).isEqualTo(1);
                assertThat(gauge("verbena.client.connections.fallback", "tcp")).isZero();
                assertThat(gauge("verbena.client.connections.stalled", "rdma")).isZero();
            }

            server.stop();
            assertThat(gauge("verbena.server.connections", transport)).isNotNegative();
            assertThat(gauge("verbena.server.connections.fallback", "tcp")).isZero();
            assertThat(registry.get("verbena.pool.regions").gauge().value()).isNotNegative();
        }

        for (String side : new String[] {"client", "server"}) {
            Timer good = timer(side, "0", transport);
            assertThat(good.count()).as(side).isEqualTo(2);
            assertThat(good.max(TimeUnit.MICROSECONDS)).as(side).isPositive();
            assertThat(good.getId().getTag("service")).isEqualTo("test.ping.PingService");
            assertThat(registry.get("verbena." + side + ".calls.active").gauge().value()).isZero();
        }
        assertThat(timer("server", "4711", transport).count()).isEqualTo(1);
        assertThat(registry.get("verbena.client.calls").tag("code", "4711").timer().count())
                .isEqualTo(1);
    }

    private double gauge(String name, String transport) {
        return registry.get(name).tag("transport", transport).gauge().value();
    }

    private Timer timer(String side, String code, String transport) {
        return registry.get("verbena." + side + ".calls")
                .tag("code", code)
                .tag("transport", transport)
                .timer();
    }
}
