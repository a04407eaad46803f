// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpc.spi.ServerNode;
import io.verbena.testing.SilentPort;
import io.verbena.transport.SocketMode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A server whose address does not even refuse connections, beside one that lives. */
class SilentAddressTest {
    private final RpcFixture fixture = new RpcFixture(SocketMode.TCP);

    @AfterEach
    void close() {
        fixture.close();
    }

    private static InetSocketAddress address(SilentPort silent) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), silent.number());
    }

    private BalancedServers servers(SilentPort silent, Server server, ChannelOptions options) {
        ScriptedNaming naming =
                new ScriptedNaming(
                        List.of(
                                new ServerNode(address(silent), ""),
                                new ServerNode(server.address(), "")));
        // the first tries go to the silent one, if it is among those that can be reached
        return fixture.clientSide.node.balancedServers(
                "test://",
                naming.named(),
                () ->
                        listed ->
                                call -> {
                                    int silentAt =
                                            listed.getFirst().address().equals(address(silent))
                                                    ? 0
                                                    : 1;
                                    return call.isAvailable(silentAt) ? silentAt : 1 - silentAt;
                                },
                options);
    }

    private Channel channel(BalancedServers servers, ChannelOptions options) {
        return fixture.closing(
                new Channel(fixture.clientSide.node, new CallSettings(options, servers)));
    }

    private static Target target(BalancedServers servers, SilentPort silent) {
        return servers.targets().stream()
                .filter(one -> one.node().address().equals(address(silent)))
                .findFirst()
                .orElseThrow();
    }

    /** Its connections are given up long before that is known: a backup request was answered. */
    @ParameterizedTest
    @EnumSource
    void shouldBeLeftOutAlthoughBackupRequestsAreAnswered(ConnectionType type) {
        Server server = fixture.server(ServerOptions.DEFAULT);
        ChannelOptions options =
                RpcFixture.PATIENT
                        .withConnectionType(type)
                        .withConnectTimeoutMs(500)
                        .withBackupRequestMs(20);
        try (SilentPort silent = SilentPort.open()) {
            BalancedServers servers = servers(silent, server, options);
            Channel channel = channel(servers, options);
            Target target = target(servers, silent);
            try (ClientController first = channel.controller()) {
                assertThat(EchoCalls.echo(channel, first, "first")).isEqualTo("first");
                assertThat(first.hasBackupRequest()).isTrue();
            }

            RpcFixture.eventually(() -> !target.isAvailable(), () -> "it is not left out");
            // without backup requests: a busy machine would send one to a server that lives, too
            Channel calm = channel(servers, options.withBackupRequestMs(-1));
            try (ClientController next = calm.controller()) {
                assertThat(EchoCalls.echo(calm, next, "next")).isEqualTo("next");
                assertThat(next.retriedCount()).isZero();
                assertThat(next.remoteSide()).isEqualTo(server.address());
            }
        }
    }

    /** Or the time of the call was over: connecting is part of it. */
    @ParameterizedTest
    @EnumSource
    void shouldBeLeftOutAlthoughCallsEndBeforeThat(ConnectionType type) {
        Server server = fixture.server(ServerOptions.DEFAULT);
        ChannelOptions options =
                RpcFixture.PATIENT
                        .withConnectionType(type)
                        .withConnectTimeoutMs(500)
                        .withTimeoutMs(100)
                        .withConnectingCounted(true);
        try (SilentPort silent = SilentPort.open()) {
            BalancedServers servers = servers(silent, server, options);
            Channel channel = channel(servers, options);
            Target target = target(servers, silent);
            try (ClientController first = channel.controller()) {
                EchoCalls.echo(channel, first, "first");
                assertThat(first.errorCode()).isEqualTo(RpcError.ERPCTIMEDOUT.code());
            }

            RpcFixture.eventually(() -> !target.isAvailable(), () -> "it is not left out");
        }
    }
}
