// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import io.verbena.http.test.EchoRequest;
import io.verbena.http.test.EchoResponse;
import io.verbena.rpc.Authenticator;
import io.verbena.rpc.RpcError;
import io.verbena.rpc.RpcFlag;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.testing.Eventually;
import io.verbena.transport.SocketMode;
import io.verbena.transport.TransportException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * HTTP as clients see it: the JDK's client, and raw bytes on a socket for what that client refuses
 * to send.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class HttpTest {
    private static final String ECHO = "/test.EchoService/Echo";

    private final HttpFixture fixture = new HttpFixture(SocketMode.TCP);
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @AfterEach
    void close() throws Exception {
        client.close();
        fixture.close();
    }

    private static HttpRequest.Builder to(int port, String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(Duration.ofSeconds(20));
    }

    private static HttpRequest.Builder to(Server server, String path) {
        return to(server.address().getPort(), path);
    }

    private HttpResponse<String> get(Server server, String path) throws Exception {
        return client.send(to(server, path).build(), BodyHandlers.ofString());
    }

    private HttpResponse<String> post(Server server, String path, String body) throws Exception {
        HttpRequest request =
                to(server, path)
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build();
        return client.send(request, BodyHandlers.ofString());
    }

    private Server server() {
        return fixture.server(ServerOptions.DEFAULT);
    }

    private static String code(HttpResponse<?> response) {
        return response.headers().firstValue("x-bd-error-code").orElse("");
    }

    @Test
    void shouldAnswerJsonWithJson() throws Exception {
        Server server = server();

        for (String path : new String[] {ECHO, "/EchoService/Echo", "/EchoService/EchoInline"}) {
            HttpResponse<String> answer =
                    post(
                            server,
                            path,
                            "{\"message\":\"a\\u00e9\", \"unknown\": 1, \"data\":\"AQI=\"}");
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.headers().firstValue("content-type")).hasValue("application/json");
            assertThat(answer.body()).isEqualTo("{\"message\":\"a\u00e9\",\"data\":\"AQI=\"}");
        }
    }

    @Test
    void shouldAnswerProtobufWithProtobuf() throws Exception {
        byte[] body = EchoRequest.newBuilder().setMessage("hi").build().toByteArray();
        HttpRequest request =
                to(server(), ECHO)
                        .header("Content-Type", "application/proto")
                        .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                        .build();

        HttpResponse<byte[]> answer = client.send(request, BodyHandlers.ofByteArray());

        assertThat(answer.headers().firstValue("content-type")).hasValue("application/proto");
        assertThat(EchoResponse.parseFrom(answer.body()).getMessage()).isEqualTo("hi");
    }

    @Test
    void shouldUnpackGzip() throws Exception {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write("{\"message\":\"small\"}".getBytes(StandardCharsets.UTF_8));
        }
        HttpRequest.Builder request =
                to(server(), ECHO)
                        .POST(HttpRequest.BodyPublishers.ofByteArray(packed.toByteArray()));

        assertThat(
                        client.send(
                                        request.header("Content-Encoding", "gzip").build(),
                                        BodyHandlers.ofString())
                                .body())
                .isEqualTo("{\"message\":\"small\",\"data\":\"\"}");
    }

    @Test
    void shouldTellErrorsAsBrpcDoes() throws Exception {
        Server server = server();

        HttpResponse<String> wished =
                post(server, ECHO, "{\"message\":\"x\", \"fail_with\": 4711}");
        assertThat(wished.statusCode()).isEqualTo(500);
        assertThat(code(wished)).isEqualTo("4711");
        assertThat(wished.body()).isEqualTo("[E4711]as you wish\n");
        assertRefused(post(server, ECHO, "{"), 400, RpcError.EREQUEST);
        assertRefused(post(server, ECHO, "[".repeat(100_000)), 400, RpcError.EREQUEST);
        assertRefused(post(server, ECHO, "{}"), 400, RpcError.EREQUEST);
        assertRefused(post(server, ECHO, ""), 400, RpcError.EREQUEST);
        assertRefused(post(server, "/no.Service/Echo", "{}"), 404, RpcError.ENOMETHOD);
        assertRefused(post(server, "/EchoService/No", "{}"), 404, RpcError.ENOMETHOD);
        assertRefused(get(server, "/no-page"), 404, RpcError.ENOSERVICE);
        assertThat(get(server, ECHO).statusCode()).isEqualTo(405);
        assertThat(get(server, ECHO).headers().firstValue("allow")).hasValue("POST");
        assertThat(post(server, "/status", "").statusCode()).isEqualTo(405);
    }

    private static void assertRefused(HttpResponse<String> answer, int status, RpcError error) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        assertThat(code(answer)).isEqualTo(Integer.toString(error.code()));
    }

    @Test
    void shouldRefuseCallsBeyondTheLimitAndWhenItStops() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        Server server =
                fixture.server(
                        EchoResponder.holding(release),
                        ServerOptions.DEFAULT.withMaxConcurrency(1));
        var slow =
                client.sendAsync(
                        to(server, ECHO)
                                .POST(HttpRequest.BodyPublishers.ofString("{\"message\":\"held\"}"))
                                .build(),
                        BodyHandlers.ofString());
        Eventually.become(() -> server.concurrency() == 1, () -> "no call");

        assertRefused(post(server, ECHO, "{\"message\":\"x\"}"), 503, RpcError.ELIMIT);
        server.stop();
        assertRefused(post(server, ECHO, "{\"message\":\"x\"}"), 503, RpcError.ELOGOFF);
        assertThat(get(server, "/health").statusCode()).isEqualTo(503);
        release.countDown();
        server.join();

        assertThat(slow.join().body()).startsWith("{\"message\":\"held\"");
    }

    @Test
    void shouldAskForCredentialsOnCallsOnly() throws Exception {
        Authenticator secret =
                new Authenticator() {
                    @Override
                    public byte[] generateCredential() {
                        return new byte[0];
                    }

                    @Override
                    public String verifyCredential(
                            byte[] credential, java.net.InetSocketAddress remote) {
                        return new String(credential, StandardCharsets.UTF_8).equals("Let me in")
                                ? ""
                                : "no";
                    }
                };
        Server server = fixture.server(ServerOptions.DEFAULT.withAuth(secret));

        assertThat(get(server, "/health").body()).isEqualTo("OK\n");
        assertRefused(post(server, ECHO, "{\"message\":\"x\"}"), 401, RpcError.ERPCAUTH);
        HttpRequest request =
                to(server, ECHO)
                        .header("Authorization", "Let me in")
                        .POST(HttpRequest.BodyPublishers.ofString("{\"message\":\"x\"}"))
                        .build();
        assertThat(client.send(request, BodyHandlers.ofString()).statusCode()).isEqualTo(200);
    }

    @Test
    void shouldCarryLargeBodiesInChunks() throws Exception {
        Server server = server();
        String message = "0123456789".repeat(300_000);
        byte[] body =
                ("{\"message\":\"" + message + "\",\"data\":\"\"}")
                        .getBytes(StandardCharsets.UTF_8);
        HttpRequest request =
                to(server, ECHO)
                        .POST(
                                HttpRequest.BodyPublishers.ofInputStream(
                                        () -> new java.io.ByteArrayInputStream(body)))
                        .build();

        assertThat(client.send(request, BodyHandlers.ofByteArray()).body()).isEqualTo(body);
    }

    @Test
    void shouldRefuseBodiesThatAreTooLarge() throws Exception {
        Server server = server();
        fixture.serverFlags().set(RpcFlag.MAX_BODY_SIZE, 1000L);

        assertThat(post(server, ECHO, "x".repeat(1001)).statusCode()).isEqualTo(413);
        assertThat(post(server, ECHO, "x".repeat(3 << 20)).statusCode()).isEqualTo(413);
        HttpRequest expecting =
                to(server, ECHO)
                        .expectContinue(true)
                        .POST(HttpRequest.BodyPublishers.ofString("x".repeat(2000)))
                        .build();
        assertThat(client.send(expecting, BodyHandlers.ofString()).statusCode()).isEqualTo(413);
        HttpRequest small =
                to(server, ECHO)
                        .expectContinue(true)
                        .POST(HttpRequest.BodyPublishers.ofString("{\"message\":\"x\"}"))
                        .build();
        assertThat(client.send(small, BodyHandlers.ofString()).statusCode()).isEqualTo(200);
    }

    /** Sends bytes and reads until the server has closed the connection. */
    private static String raw(Server server, String text) throws IOException {
        try (Socket socket =
                new Socket(server.address().getAddress(), server.address().getPort())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
            byte[] all = socket.getInputStream().readAllBytes();
            return new String(all, StandardCharsets.UTF_8);
        }
    }

    private static String call(String method, String json, String more) {
        return "POST /EchoService/"
                + method
                + " HTTP/1.1\r\nHost: h\r\nContent-Length: "
                + json.length()
                + "\r\n"
                + more
                + "\r\n"
                + json;
    }

    @Test
    void shouldAnswerInTheOrderOfTheRequests() throws Exception {
        StringBuilder requests = new StringBuilder();
        StringBuilder expected = new StringBuilder();
        for (int i = 0; i < 60; i++) {
            String message = "{\"message\":\"m" + i + "\"}";
            String slow = "{\"message\":\"m" + i + "\",\"sleep_ms\":" + (60 - i) % 7 + "}";
            requests.append(
                    switch (i % 3) {
                        case 0 -> call("Echo", slow, "");
                        case 1 -> call("EchoInline", message, "");
                        default -> "GET /health HTTP/1.1\r\nHost: h\r\n\r\n";
                    });
            expected.append(i % 3 == 2 ? "OK\n" : message.replace("}", ",\"data\":\"\"}"));
        }
        requests.append("GET /version HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");

        String answers = raw(server(), requests.toString());

        assertThat(answers.replaceAll("(?s)HTTP/1.1 200 OK\r\n.*?\r\n\r\n", ""))
                .startsWith(expected + "verbena ");
    }

    @Test
    void shouldEndTheConnectionAfterARequestItCannotRead() throws Exception {
        Server server = server();
        String smuggled = "GET /health HTTP/1.1\r\nHost: h\r\n\r\n";

        String answer =
                raw(
                        server,
                        "POST /EchoService/Echo HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n"
                                + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
                                + smuggled);

        assertThat(answer).startsWith("HTTP/1.1 400 Bad Request\r\n").doesNotContain("OK");
        assertThat(answer).contains("\r\nConnection: close\r\n");
        assertThat(
                        raw(
                                server,
                                "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                                        + "zz\r\n"
                                        + smuggled))
                .startsWith("HTTP/1.1 400 ")
                .doesNotContain("OK");
    }

    @Test
    void shouldAnswerHeadWithoutABody() throws Exception {
        assertThat(raw(server(), "HEAD /health HTTP/1.0\r\n\r\n"))
                .startsWith("HTTP/1.1 200 OK\r\n")
                .contains("\r\nContent-Length: 3\r\n")
                .endsWith("\r\n\r\n");
    }

    @Test
    void shouldKeepConnectionsOfOldClientsThatAskForIt() throws Exception {
        String keep = "GET /health HTTP/1.0\r\nConnection: keep-alive\r\n\r\n";

        assertThat(raw(server(), keep + "GET /health HTTP/1.0\r\n\r\n"))
                .containsPattern("(?s)Connection: keep-alive.*OK\n.*Connection: close.*OK\n");
    }

    @Test
    void shouldRefuseTooManyRequestsBehindEachOther() throws Exception {
        String slow = call("Echo", "{\"message\":\"x\",\"sleep_ms\":3000}", "");

        String answers = raw(server(), slow.repeat(300));

        assertThat(answers.split("HTTP/1.1 200", -1)).hasSize(257);
        assertThat(answers).contains("HTTP/1.1 503 ");
    }

    @Test
    void shouldGiveBackMemoryOfClientsThatLeave() throws Exception {
        Server server = server();
        for (String text :
                new String[] {
                    "POST /EchoService/Echo HTTP/1.1\r\nHost: h\r\nContent-Length: 99\r\n\r\nabc",
                    "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
                    call("Echo", "{\"message\":\"x\",\"sleep_ms\":100}", "").repeat(9),
                    "GET /sta"
                }) {
            try (Socket socket =
                    new Socket(server.address().getAddress(), server.address().getPort())) {
                socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
            }
        }
        // the fixture fails if blocks are missing
    }

    @Test
    void shouldShareAPortWithOtherProtocols() throws Exception {
        Server server = server();
        fixture.call(server, 1);

        assertThat(get(server, "/status").body())
                .contains("test.EchoService.Echo\n")
                .contains("signature: (test.EchoRequest) returns (test.EchoResponse)\ncount: 1\n");
        assertThat(raw(server, "\1\2\3")).isEmpty();
    }

    @Test
    void shouldHaveNoPagesWhereThereAreNone() throws Exception {
        Server server = fixture.server(ServerOptions.DEFAULT.withHasBuiltinServices(false));

        assertThat(get(server, "/status").statusCode()).isEqualTo(403);
        assertThat(post(server, ECHO, "{\"message\":\"x\"}").statusCode()).isEqualTo(200);
    }

    @Test
    void shouldSpeakOnlyWhatIsEnabled() {
        Server server = fixture.server(ServerOptions.DEFAULT.withEnabledProtocols("baidu_std"));

        assertThatThrownBy(() -> get(server, "/health")).isInstanceOf(IOException.class);
    }

    @Test
    void shouldShowPagesOnTheInternalPortOnly() throws Exception {
        Server server = fixture.server(ServerOptions.DEFAULT.withInternalPort(0));
        int internal = server.internalAddress().orElseThrow().getPort();

        assertThat(get(server, "/status").statusCode()).isEqualTo(403);
        assertThat(post(server, ECHO, "{\"message\":\"x\"}").statusCode()).isEqualTo(200);
        assertThat(
                        client.send(to(internal, "/status").build(), BodyHandlers.ofString())
                                .statusCode())
                .isEqualTo(200);
        HttpRequest call =
                to(internal, ECHO)
                        .POST(HttpRequest.BodyPublishers.ofString("{\"message\":\"x\"}"))
                        .build();
        assertThat(client.send(call, BodyHandlers.ofString()).statusCode()).isEqualTo(404);
        assertThat(
                        client.send(to(internal, "/connections").build(), BodyHandlers.ofString())
                                .body())
                .contains(":" + internal);
    }

    @Test
    void shouldLeaveNothingIfTheInternalPortIsTaken() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            ServerOptions options = ServerOptions.DEFAULT.withInternalPort(taken.getLocalPort());

            assertThatThrownBy(() -> fixture.server(options))
                    .isInstanceOf(TransportException.class);
        }
    }

    @Test
    void shouldDescribeItsServices() throws Exception {
        HttpResponse<byte[]> answer =
                client.send(
                        to(server(), "/protobufs?format=descriptors").build(),
                        BodyHandlers.ofByteArray());

        assertThat(FileDescriptorSet.parseFrom(answer.body()).getFileList())
                .anySatisfy(file -> assertThat(file.getServiceList()).isNotEmpty());
    }
}
