// SPDX-License-Identifier: Apache-2.0

package io.verbena.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpc.RpcNode;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.testing.Eventually;
import io.verbena.testing.PlayedRegistry;
import io.verbena.testing.PlayedRegistry.Answer;
import io.verbena.tools.LocalNode;
import io.verbena.tools.proto.EchoResponse;
import io.verbena.tools.proto.EchoService;
import io.verbena.transport.SocketMode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Servers in registries that cannot be run here: they leave before they stop. */
final class DrainedServerTest {
    /** Whether the server accepted connections when the registry was asked to forget it. */
    private final List<Boolean> isServing = new CopyOnWriteArrayList<>();

    @ParameterizedTest
    @CsvSource({
        "consul, PUT /v1/agent/service/deregister/echo-, 200",
        "consul, PUT /v1/agent/service/deregister/echo-, 500",
        "nacos, DELETE /nacos/v1/ns/instance?, 200",
        "nacos, DELETE /nacos/v1/ns/instance?, 500",
    })
    void shouldLeaveTheRegistryBeforeItStops(String scheme, String withdrawal, int status)
            throws InterruptedException {
        InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        EchoService echo =
                (_, request) -> EchoResponse.newBuilder().setMessage(request.getMessage()).build();
        try (RpcNode node = LocalNode.open(SocketMode.TCP, new Properties());
                Server server = new Server(node).add(echo).start(anyPort, ServerOptions.DEFAULT);
                PlayedRegistry registry =
                        new PlayedRegistry(
                                request -> {
                                    if (!request.line().startsWith(withdrawal)) {
                                        return Answer.ok("{}");
                                    }
                                    isServing.add(accepts(server.address()));
                                    return new Answer(status, Map.of(), "");
                                })) {
            server.announce(scheme + "://" + registry.address() + "/echo", "");
            Eventually.be(true, server::isListed);

            InetSocketAddress address = server.address();
            server.drain(Duration.ZERO, Duration.ofSeconds(10));

            // it asks again if that failed
            assertThat(isServing).isNotEmpty().containsOnly(true);
            assertThat(accepts(address)).isFalse();
        }
    }

    private static boolean accepts(InetSocketAddress address) {
        try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }
}
