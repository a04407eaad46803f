// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.verbena.http.test.EchoRequest;
import io.verbena.http.test.EchoServiceClient;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.ClientCall;
import io.verbena.rpc.RpcError;
import io.verbena.rpc.RpcException;
import io.verbena.transport.SocketMode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Channels that speak HTTP, with other servers: the JDK's, and one that sends any bytes. */
@Timeout(120)
class HttpPeersTest {
    private final HttpFixture fixture = new HttpFixture(SocketMode.TCP);
    private final ExecutorService threads =
            Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("test-", 0).factory());
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.start();
    }

    @AfterEach
    void close() {
        fixture.close();
        server.stop(0);
        threads.shutdownNow();
    }

    private EchoServiceClient client() {
        return new EchoServiceClient(
                fixture.httpChannel(server.getAddress().getPort(), ChannelOptions.DEFAULT));
    }

    private static EchoRequest request(String message) {
        return EchoRequest.newBuilder().setMessage(message).build();
    }

    private static void answer(HttpExchange exchange, int status, byte[] body, boolean isChunked)
            throws IOException {
        exchange.getRequestBody().readAllBytes();
        exchange.sendResponseHeaders(status, isChunked ? 0 : body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static RpcException failure(EchoServiceClient client) {
        return catchThrowableOfType(RpcException.class, () -> client.echo(request("x")));
    }

    @Test
    void shouldPostJson() {
        server.createContext(
                "/test.EchoService/Echo",
                exchange -> {
                    String body =
                            new String(
                                    exchange.getRequestBody().readAllBytes(),
                                    StandardCharsets.UTF_8);
                    String said =
                            String.join(
                                    "|",
                                    exchange.getRequestMethod(),
                                    exchange.getRequestHeaders().getFirst("content-type"),
                                    exchange.getRequestHeaders().getFirst("x-mine"),
                                    body.replace('"', '\''));
                    exchange.getResponseHeaders().add("x-theirs", "yes");
                    answer(exchange, 200, bytes("{\"message\":\"" + said + "\"}"), false);
                });
        Channel channel =
                fixture.httpChannel(server.getAddress().getPort(), ChannelOptions.DEFAULT);
        try (ClientCall call = channel.newCall()) {
            call.requestUserFields().put("x-mine", "1");

            assertThat(new EchoServiceClient(channel).echo(request("a"), call).getMessage())
                    .isEqualTo("POST|application/json|1|{'message':'a'}");
            assertThat(call.responseUserFields()).containsEntry("x-theirs", "yes");
        }
    }

    @Test
    void shouldReadChunksAndGzip() throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write(bytes("{\"message\":\"packed\"}"));
        }
        server.createContext(
                "/",
                exchange -> {
                    exchange.getResponseHeaders().add("Content-Encoding", "gzip");
                    answer(exchange, 200, packed.toByteArray(), true);
                });
        EchoServiceClient client = client();

        for (int i = 0; i < 3; i++) {
            assertThat(client.echo(request("x")).getMessage()).isEqualTo("packed");
        }
    }

    @Test
    void shouldMapStatuses() {
        server.createContext("/", exchange -> answer(exchange, 404, bytes("no such thing"), false));

        RpcException failure = failure(client());

        assertThat(failure.code()).isEqualTo(RpcError.EHTTP.code());
        assertThat(failure.text()).isEqualTo("[E1010]HTTP/1.1 404 Not Found: no such thing");
    }

    @Test
    void shouldFailIfTheBodyIsNoJson() {
        server.createContext("/", exchange -> answer(exchange, 200, bytes("<html>"), false));

        assertThat(failure(client()).code()).isEqualTo(RpcError.ERESPONSE.code());
    }

    private static void answer(Socket socket, String answer) throws IOException {
        InputStream input = socket.getInputStream();
        // a request ends with the end of its message
        for (int next = input.read(); next >= 0 && next != '}'; next = input.read()) {
            assertThat(next).isPositive();
        }
        socket.getOutputStream().write(answer.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Answers each connection with the same bytes, and ends it. */
    private EchoServiceClient clientOf(ServerSocket listening, String answer) {
        var _ =
                threads.submit(
                        () -> {
                            while (true) {
                                try (Socket socket = listening.accept()) {
                                    answer(socket, answer);
                                }
                            }
                        });
        return new EchoServiceClient(
                fixture.httpChannel(
                        listening.getLocalPort(), ChannelOptions.DEFAULT.withMaxRetry(0)));
    }

    @Test
    void shouldReadABodyThatEndsWithTheConnection() throws IOException {
        try (ServerSocket listening = new ServerSocket(0)) {
            EchoServiceClient client =
                    clientOf(
                            listening,
                            "HTTP/1.0 100 Continue\r\n\r\nHTTP/1.0 200 OK\r\n\r\n"
                                    + "{\"message\":\"old\"}");
            assertThat(client.echo(request("x")).getMessage()).isEqualTo("old");
            assertThat(client.echo(request("x")).getMessage()).isEqualTo("old");
        }
    }

    @Test
    void shouldFailOnBrokenResponses() throws IOException {
        for (String broken :
                new String[] {
                    "",
                    "HTTP",
                    "SSH-2.0-x\r\n\r\n",
                    "HTTP/1.1 2000 OK\r\n\r\n",
                    "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
                    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
                    "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999\r\n\r\nxx",
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                    "HTTP/1.1 200 OK\r\nx: " + "y".repeat(100_000) + "\r\n\r\n",
                }) {
            try (ServerSocket listening = new ServerSocket(0)) {
                assertThat(failure(clientOf(listening, broken))).as("%s", broken).isNotNull();
            }
        }
    }

    @Test
    void shouldNotKeepAConnectionWithBytesNobodyAskedFor() throws IOException {
        String one = "HTTP/1.1 200 OK\r\nContent-Length: 17\r\n\r\n{\"message\":\"one\"}";
        try (ServerSocket listening = new ServerSocket(0)) {
            EchoServiceClient client = clientOf(listening, one + one.replace("one", "two"));
            for (int i = 0; i < 3; i++) {
                assertThat(client.echo(request("x")).getMessage()).isEqualTo("one");
            }
        }
    }
}
