// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.memory.BlockPool;
import io.verbena.memory.BlockPoolOptions;
import io.verbena.rpc.spi.FlagRegistry;
import io.verbena.transport.SocketMode;
import io.verbena.transport.Transport;
import io.verbena.transport.TransportFlag;
import io.verbena.transport.TransportFlags;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Options that contradict each other, and flags. */
class OptionsTest {
    private final RpcFixture fixture = new RpcFixture(SocketMode.TCP);

    @AfterEach
    void close() {
        fixture.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"rtmp", "nshead", "mongo", "baidu_std thrift"})
    void serverOptionInvalid(String protocols) {
        ServerOptions options =
                ServerOptions.DEFAULT
                        .withSocketMode(SocketMode.RDMA)
                        .withEnabledProtocols(protocols);

        assertThatThrownBy(() -> fixture.server(options))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("enabled_protocols")
                .hasMessageContaining("RDMA");
    }

    @Test
    void serverOptionInvalidWithSsl() {
        ServerOptions options =
                ServerOptions.DEFAULT.withSocketMode(SocketMode.RDMA).withForceSsl(true);

        assertThatThrownBy(() -> fixture.server(options))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("force_ssl")
                .hasMessageContaining("RDMA");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "streaming_rpc", "hulu_pbrpc", "sofa_pbrpc", "rtmp", "thrift", "http",
                        "public_pbrpc",
                "nova_pbrpc", "redis", "nshead_mcpack", "mongo", "ubrpc_compack", "memcache", "h2"
            })
    void channelOptionInvalid(String protocol) {
        ChannelOptions options =
                ChannelOptions.DEFAULT.withSocketMode(SocketMode.RDMA).withProtocol(protocol);

        assertThatThrownBy(() -> Channel.open(fixture.clientSide.node, "127.0.0.1:1", options))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("protocol: " + protocol)
                .hasMessageContaining("RDMA");
    }

    @Test
    void channelOptionInvalidWithSsl() {
        ChannelOptions options =
                ChannelOptions.DEFAULT.withSocketMode(SocketMode.RDMA).withSsl(true);

        assertThatThrownBy(() -> Channel.open(fixture.clientSide.node, "127.0.0.1:1", options))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ssl_options")
                .hasMessageContaining("RDMA");
    }

    @Test
    void shouldRefuseWhatIsNotKnown() {
        ChannelOptions options = ChannelOptions.DEFAULT;
        RpcNode node = fixture.clientSide.node;

        assertThatThrownBy(() -> Channel.open(node, "zoo://a:1", "rr", options))
                .hasMessageContaining("zoo")
                .hasMessageContaining("list");
        assertThatThrownBy(() -> Channel.open(node, "list://a", "rr", options))
                .hasMessageContaining("host:port");
        assertThatThrownBy(() -> Channel.open(node, "list://127.0.0.1:1", "best", options))
                .hasMessageContaining("best")
                .hasMessageContaining("rr");
        assertThatThrownBy(() -> options.withMaxRetry(-1)).hasMessageContaining("max_retry: -1");
        assertThatThrownBy(() -> ServerOptions.DEFAULT.withMaxConcurrency(-1))
                .hasMessageContaining("max_concurrency: -1");
        assertThatThrownBy(
                        () ->
                                fixture.server(
                                        ServerOptions.DEFAULT.withMethodMaxConcurrency("many")))
                .hasMessageContaining("many");
    }

    @Test
    void shouldReadFlagsFromTheCommandLineAndAFile(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("flags");
        Files.writeString(
                file,
                "# comment\n--max_body_size=1000\nhealth_check_interval=7\nrdma_sq_size=64\n");

        FlagSource source =
                FlagSource.of("--flagfile=" + file, "--max_body_size=2000", "-v", "server");
        RpcFlags flags = RpcFlags.of(source.values());

        assertThat(flags.number(RpcFlag.MAX_BODY_SIZE)).isEqualTo(2000);
        assertThat(flags.number(RpcFlag.HEALTH_CHECK_INTERVAL)).isEqualTo(7);
        assertThat(TransportFlags.of(source.values()).number(TransportFlag.RDMA_SQ_SIZE))
                .isEqualTo(64);
        assertThat(source.rest()).containsExactly("-v", "server");
    }

    @Test
    void shouldChangeFlagsAtRunTime() {
        RpcFlags flags = new RpcFlags();
        try (BlockPool pool = BlockPool.unregistered(BlockPoolOptions.DEFAULT);
                Transport transport = Transport.overTcp(pool, TransportFlags.DEFAULT)) {
            shouldChangeFlags(flags, transport);
        }
    }

    private static void shouldChangeFlags(RpcFlags flags, Transport transport) {
        FlagRegistry registry = new NodeFlags(flags, transport);

        registry.set("max_body_size", "12345");
        registry.set("rdma_trace_verbose", "true");

        assertThat(flags.number(RpcFlag.MAX_BODY_SIZE)).isEqualTo(12345);
        assertThat(registry.find("max_body_size").orElseThrow().value()).isEqualTo(12345L);
        assertThat(registry.find("rdma_trace_verbose").orElseThrow().value()).isEqualTo(true);
        assertThat(transport.flags().isOn(TransportFlag.RDMA_TRACE_VERBOSE)).isTrue();
        assertThat(registry.find("rdma_sq_size").orElseThrow().isChangeable()).isFalse();
        assertThat(registry.find(BlockPoolOptions.MAX_REGIONS).orElseThrow().value())
                .isEqualTo(16L);
        assertThatThrownBy(() -> registry.set("max_body_size", "-1"))
                .hasMessageContaining("max_body_size: -1");
        assertThatThrownBy(() -> registry.set("max_body_size", "many"))
                .hasMessageContaining("whole number");
        assertThatThrownBy(() -> registry.set("rdma_sq_size", "32"))
                .hasMessageContaining("rdma_sq_size: 32 needs a restart");
        assertThatThrownBy(() -> registry.set(BlockPoolOptions.MAX_REGIONS, "8"))
                .hasMessageContaining("rdma_memory_pool_max_regions: 8 needs a restart");
        assertThatThrownBy(() -> registry.set("no_such_flag", "1"))
                .hasMessageContaining("no_such_flag");
    }
}
