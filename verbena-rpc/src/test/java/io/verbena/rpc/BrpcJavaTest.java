// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.rpc.test.EchoRequest;
import io.verbena.rpc.test.EchoResponse;
import io.verbena.rpc.test.EchoService;
import io.verbena.rpc.test.EchoServiceClient;
import io.verbena.testing.FreePort;
import io.verbena.transport.SocketMode;
import java.io.BufferedReader;
import java.io.IOException;
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
    private final class Echo implements EchoService {
        @Override
        public EchoResponse echo(Call call, EchoRequest request) throws InterruptedException {
            switch (request.getMessage()) {
                case "fail" -> throw new IllegalStateException("asked to fail");
                case "sleep" -> release.await();
                default -> {}
            }
            return echoInline(call, request);
        }

        @Override
        public EchoResponse echoInline(Call call, EchoRequest request) {
            call.responseAttachment().append(call.requestAttachment());
            return EchoResponse.newBuilder().setMessage(request.getMessage()).build();
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
        int port = FreePort.choose();
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
        EchoServiceClient client = new EchoServiceClient(channel);
        EchoRequest large = EchoCalls.request("large ".repeat(20_000));
        for (CompressType type : CompressType.values()) {
            try (ClientCall call = channel.newCall()) {
                call.setRequestCompressType(type);
                assertThat(client.echo(EchoCalls.request("hello"), call).getMessage())
                        .isEqualTo("hello");
                assertThat(client.echo(large, call).getMessage()).isEqualTo(large.getMessage());
                call.requestAttachment().append("beside");
                assertThat(client.echo(EchoCalls.request("with"), call).getMessage())
                        .isEqualTo("with");
                assertThat(call.responseAttachment().toText()).isEqualTo("beside");
            }
        }
        try (ClientCall call = channel.newCall()) {
            assertThatThrownBy(() -> client.echo(EchoCalls.request("fail"), call))
                    .isInstanceOf(RpcException.class)
                    .hasMessageContaining("asked to fail");
            call.reset();
            call.setTimeoutMs(200);
            assertThatThrownBy(() -> client.echo(EchoCalls.request("sleep"), call))
                    .isInstanceOfSatisfying(
                            RpcException.class,
                            e -> assertThat(e.code()).isEqualTo(RpcError.ERPCTIMEDOUT.code()));
            call.reset();
            assertThat(client.echo(EchoCalls.request("after"), call).getMessage())
                    .isEqualTo("after");
        }
    }
}
