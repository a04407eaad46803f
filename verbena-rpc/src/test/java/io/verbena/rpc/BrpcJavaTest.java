// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.RpcCallback;
import com.google.protobuf.RpcController;
import io.verbena.rpc.test.EchoRequest;
import io.verbena.rpc.test.EchoResponse;
import io.verbena.transport.SocketMode;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** brpc-java calls our server, and our channel calls brpc-java's, over TCP. */
@Timeout(value = 110, unit = TimeUnit.SECONDS)
class BrpcJavaTest {
    private static final Path LIBRARIES = Path.of("target", "brpc-java");
    private static final Path PEER = Path.of("src", "test", "brpc-java", "BrpcJavaPeer.java");

    private final RpcFixture fixture = new RpcFixture(SocketMode.TCP);
    private final CountDownLatch release = new CountDownLatch(1);

    @AfterEach
    void close() {
        release.countDown();
        fixture.close();
    }

    private static Process start(String role, int port) throws IOException {
        assertThat(LIBRARIES).as("made by the build, see pom.xml").isDirectory();
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        // it makes proxies with an old version of cglib
                        "--add-opens=java.base/java.lang=ALL-UNNAMED",
                        "-cp",
                        LIBRARIES.resolve("*").toString(),
                        PEER.toString(),
                        role,
                        String.valueOf(port))
                .redirectErrorStream(true)
                .start();
    }

    /** Echoes as brpc-java's service does. */
    private final class Echo extends EchoServices.Echo {
        @Override
        public void echo(
                RpcController controller, EchoRequest request, RpcCallback<EchoResponse> done) {
            switch (request.getMessage()) {
                case "fail" -> controller.setFailed("asked to fail");
                case "sleep" -> awaitEnd();
                default -> {}
            }
            super.echo(controller, request, done);
        }

        private void awaitEnd() {
            try {
                release.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Test
    void shouldServeBrpcJava() throws Exception {
        Server server =
                fixture.closing(
                        new Server(fixture.serverSide.node)
                                .add(new Echo())
                                .start(RpcFixture.anyPort(), ServerOptions.DEFAULT));
        Process client = start("client", server.address().getPort());
        List<String> results = new ArrayList<>();
        try (BufferedReader output = client.inputReader(StandardCharsets.UTF_8)) {
            output.lines().forEach(results::add);
        } finally {
            client.destroyForcibly();
        }

        for (CompressType type : CompressType.values()) {
            String prefix = "RESULT " + type.code() + " ";
            assertThat(results)
                    .contains(
                            prefix + "echo hello",
                            prefix + "large true",
                            prefix + "attachment with true")
                    .anyMatch(
                            line ->
                                    line.startsWith(prefix + "missing failed")
                                            && line.contains("[E1002]"))
                    .anyMatch(
                            line ->
                                    line.startsWith(prefix + "fail failed")
                                            && line.contains("[E2001]"));
        }
        assertThat(results).anyMatch(line -> line.startsWith("RESULT 0 timeout timeout"));
        assertThat(results)
                .filteredOn(line -> line.startsWith("RESULT "))
                .hasSize(CompressType.values().length * 5 + 1);
    }

    @Test
    void shouldCallBrpcJava() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        Process server = start("server", port);
        try (BufferedReader output = server.inputReader(StandardCharsets.UTF_8)) {
            List<String> lines = output.lines().takeWhile(line -> !line.equals("ready")).toList();
            assertThat(server.isAlive()).as("it said %s", lines).isTrue();
            callAll(
                    fixture.closing(
                            Channel.open(
                                    fixture.clientSide.node,
                                    "127.0.0.1:" + port,
                                    RpcFixture.PATIENT)));
        } finally {
            server.destroyForcibly();
        }
    }

    private static void callAll(Channel channel) {
        String large = "large ".repeat(20_000);
        for (CompressType type : CompressType.values()) {
            try (ClientController controller = channel.controller()) {
                controller.setRequestCompressType(type);
                assertThat(EchoCalls.echo(channel, controller, "hello")).isEqualTo("hello");
                assertThat(EchoCalls.echo(channel, controller, large)).isEqualTo(large);
                controller.requestAttachment().append("beside");
                assertThat(EchoCalls.echo(channel, controller, "with"))
                        .as(controller.errorText())
                        .isEqualTo("with");
                assertThat(controller.responseAttachment().toText()).isEqualTo("beside");
            }
        }
        try (ClientController controller = channel.controller()) {
            EchoCalls.echo(channel, controller, "fail");
            assertThat(controller.failed()).isTrue();
            assertThat(controller.errorText()).contains("asked to fail");
            controller.reset();
            controller.setTimeoutMs(200);
            EchoCalls.echo(channel, controller, "sleep");
            assertThat(controller.errorCode()).isEqualTo(RpcError.ERPCTIMEDOUT.code());
            controller.reset();
            assertThat(EchoCalls.echo(channel, controller, "after")).isEqualTo("after");
        }
    }
}
