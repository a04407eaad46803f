// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.testing.Eventually;
import io.verbena.transport.Connection;
import io.verbena.transport.HandshakeState;
import io.verbena.transport.SocketMode;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The pages of a server that has a client over RDMA. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class HttpPagesTest {
    private static final Pattern METRIC =
            Pattern.compile("(# (HELP|TYPE) [a-z_][a-z0-9_]* .+|[a-z_][a-z0-9_]* -?[0-9.E]+)");

    private final HttpFixture fixture = new HttpFixture(SocketMode.RDMA);
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private Server server;

    @BeforeEach
    void call() throws Exception {
        server = fixture.server(ServerOptions.DEFAULT);
        fixture.call(server, 3);
    }

    @AfterEach
    void close() throws Exception {
        client.close();
        fixture.close();
    }

    private HttpResponse<String> get(String path, String accept) throws Exception {
        HttpRequest request =
                HttpRequest.newBuilder(
                                URI.create("http://127.0.0.1:" + server.address().getPort() + path))
                        .timeout(Duration.ofSeconds(20))
                        .header("Accept", accept)
                        .build();
        return client.send(request, BodyHandlers.ofString());
    }

    private String text(String path) throws Exception {
        HttpResponse<String> answer = get(path, "*/*");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return answer.body();
    }

    @Test
    void shouldListPagesThatAllExist() throws Exception {
        String index = text("/");
        Matcher pages = Pattern.compile("(?m)^(/[a-z_]+) ").matcher(index);
        int count = 0;
        while (pages.find()) {
            HttpResponse<String> html = get(pages.group(1), "text/html");
            assertThat(html.statusCode()).as(pages.group(1)).isEqualTo(200);
            count++;
        }
        assertThat(count).as(index).isEqualTo(10);
        assertThat(get("/", "text/html").body()).contains("<a href=\"/status\">/status</a>");
        assertThat(text("/index")).isEqualTo(index);
    }

    @Test
    void shouldTellTheStatusOfMethods() throws Exception {
        JsonObject json = JsonParser.parseString(text("/status?format=json")).getAsJsonObject();
        JsonObject echo = json.getAsJsonObject("test.EchoService.Echo");

        assertThat(echo.get("count").getAsInt()).isEqualTo(3);
        assertThat(echo.get("error").getAsInt()).isZero();
        assertThat(echo.keySet())
                .contains("qps", "concurrency", "latency_50", "latency_99", "latency_999");
        assertThat(json.getAsJsonObject("server").get("connection_count").getAsInt()).isEqualTo(2);
        assertThat(get("/status", "application/json").headers().firstValue("content-type"))
                .hasValue("application/json");
        // The first window ends a second after the start.
        Eventually.become(() -> qps() > 0, () -> "qps " + qps());
    }

    private double qps() {
        try {
            return JsonParser.parseString(text("/status?format=json"))
                    .getAsJsonObject()
                    .getAsJsonObject("test.EchoService.Echo")
                    .get("qps")
                    .getAsDouble();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldTellTheStateOfRdmaConnections() throws Exception {
        String connections = text("/connections");
        assertThat(connections).contains(" rdma ").contains(" tcp ");
        assertThat(connections).contains(" 127.0.0.1:").doesNotContain("/127.0.0.1");
        Matcher line = Pattern.compile("(?m)^(\\d+) .* rdma ").matcher(connections);
        assertThat(line.find()).isTrue();

        String socket = text("/sockets/" + line.group(1));

        assertThat(socket)
                .contains("handshake_state: ESTABLISHED\n")
                .contains("remote_side: 127.0.0.1:")
                .containsPattern("local_window_capacity: [1-9]")
                .containsPattern("remote_receive_window: [1-9]")
                .containsPattern("in_messages: [3-9]")
                .contains("exhaustions");
        assertThat(get("/sockets/1", "*/*").statusCode()).isEqualTo(404);
    }

    @Test
    void shouldTellWhyAConnectionUsesTcp() throws Exception {
        // a hello of version 2 from a device that nobody can reach, and then no RDMA
        byte[] hello =
                HexFormat.of()
                        .parseHex(
                                "52444d41002800020001"
                                        + "00001fe0008000800000"
                                        + "11".repeat(16)
                                        + "00000007");
        assertThat(text("/vars")).contains("fallback_connection_count: 0\n");
        try (Socket peer =
                new Socket(InetAddress.getLoopbackAddress(), server.address().getPort())) {
            peer.setSoTimeout(20_000);
            peer.getOutputStream().write(hello);
            assertThat(peer.getInputStream().readNBytes(hello.length)).hasSize(hello.length);
            peer.getOutputStream().write(new byte[4]);
            Eventually.become(
                    () -> server.connections().stream().anyMatch(HttpPagesTest::fellBack),
                    () -> server.connections().toString());

            Matcher line =
                    Pattern.compile("(?m)^(\\d+) .* tcp +FALLBACK_TCP ")
                            .matcher(text("/connections"));
            assertThat(line.find()).isTrue();
            assertThat(text("/sockets/" + line.group(1))).containsPattern("fallback_reason: .+");
            assertThat(text("/vars")).contains("fallback_connection_count: 1\n");
        }
    }

    private static boolean fellBack(Connection connection) {
        return connection.handshakeState() == HandshakeState.FALLBACK_TCP;
    }

    @Test
    void shouldShowTheServersOfClusters() throws Exception {
        try (Channel _ =
                Channel.open(
                        fixture.serverNode(),
                        "list://127.0.0.1:1 zone=a w=3",
                        "rr",
                        ChannelOptions.DEFAULT)) {
            assertThat(text("/clusters"))
                    .contains("list://127.0.0.1:1 zone=a w=3")
                    .containsPattern("127.0.0.1:1 +zone=a +3 +available");
        }
        assertThat(text("/clusters")).doesNotContain("zone=a");
    }

    @Test
    void shouldShowFlags() throws Exception {
        assertThat(text("/flags")).contains("max_body_size ").contains("rdma_sq_size ");
        assertThat(text("/flags/health_check_interval"))
                .containsPattern("health_check_interval +3 +3 ")
                .containsPattern(" s +true +Seconds between two probes");
        assertThat(text("/flags").lines().skip(2)).allMatch(line -> line.endsWith("."));
        assertThat(get("/flags/no_such", "*/*").statusCode()).isEqualTo(404);
    }

    @Test
    void shouldListNumbers() throws Exception {
        String prefix = "rpc_server_" + server.address().getPort() + "_test_echo_service_echo_";

        assertThat(text("/vars")).contains(prefix + "count: 3\n").contains("block_pool_");
        assertThat(text("/vars/*_echo_count;pid").lines()).hasSize(2);
        assertThat(get("/vars/none", "*/*").statusCode()).isEqualTo(404);
        String metrics = text("/brpc_metrics");
        assertThat(metrics).contains("# TYPE " + prefix + "count counter\n" + prefix + "count 3\n");
        assertThat(text("/metrics")).contains(prefix + "count 3\n");
        assertThat(metrics.lines()).allMatch(line -> METRIC.matcher(line).matches());
    }

    @Test
    void shouldNotRepeatWhatAPeerChose() throws Exception {
        for (String path : new String[] {"/flags/", "/vars/", "/sockets/", "/protobufs/", "/"}) {
            HttpResponse<String> answer = get(path + "%3Cscript%3Ealert", "text/html");
            assertThat(answer.statusCode()).isEqualTo(404);
            assertThat(answer.body()).doesNotContain("<script");
            assertThat(answer.headers().firstValue("content-type").orElse(""))
                    .startsWith("text/plain");
        }
        assertThat(get("/protobufs/test.EchoRequest", "*/*").body()).contains("name: \"message\"");
    }
}
