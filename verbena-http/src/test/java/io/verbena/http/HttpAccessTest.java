// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.rpc.Authenticator;
import io.verbena.rpc.PageAccess;
import io.verbena.rpc.RpcFlag;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.transport.SocketMode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may see pages, change flags and call methods over HTTP. Raw bytes, as an attacker sends. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class HttpAccessTest {
    private static final String FLAG = "/flags/health_check_interval";
    private static final String JSON = "{\"message\":\"x\"}";

    private final HttpFixture fixture = new HttpFixture(SocketMode.TCP);

    @TempDir private Path folder;

    @AfterEach
    void close() {
        fixture.close();
    }

    /** Knows two clients by their passwords. */
    private static final class Passwords implements Authenticator {
        @Override
        public byte[] generateCredential() {
            return new byte[0];
        }

        @Override
        public String verifyCredential(byte[] credential, InetSocketAddress client) {
            return identify(credential, client).isEmpty() ? "wrong" : "";
        }

        @Override
        public String identify(byte[] credential, InetSocketAddress client) {
            return switch (new String(credential, StandardCharsets.UTF_8)) {
                case "Bearer root's" -> "root";
                case "Bearer guest's" -> "guest";
                default -> "";
            };
        }
    }

    private static String send(InetSocketAddress to, String text) throws IOException {
        try (Socket socket = new Socket(to.getAddress(), to.getPort())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static String request(String line, String body, String... headers) {
        StringBuilder text = new StringBuilder(line).append(" HTTP/1.1\r\nConnection: close\r\n");
        List<String> all = List.of(headers);
        if (all.stream().noneMatch(header -> header.startsWith("Host:"))) {
            text.append("Host: 127.0.0.1\r\n");
        }
        all.forEach(header -> text.append(header).append("\r\n"));
        return text.append("Content-Length: ")
                .append(body.length())
                .append("\r\n\r\n")
                .append(body)
                .toString();
    }

    /** {@return the status and the body} */
    private static String answer(Server server, String line, String body, String... headers)
            throws IOException {
        String all = send(server.address(), request(line, body, headers));
        assertSafe(all);
        return all.substring(9, 12) + " " + all.substring(all.indexOf("\r\n\r\n") + 4);
    }

    private static void assertSafe(String answer) {
        assertThat(answer)
                .contains("\r\nX-Content-Type-Options: nosniff\r\n")
                .contains("\r\nX-Frame-Options: DENY\r\n")
                .contains("\r\nContent-Security-Policy: default-src 'none'; ")
                .contains("frame-ancestors 'none'")
                .contains("\r\nCross-Origin-Resource-Policy: same-origin\r\n")
                .contains("\r\nReferrer-Policy: no-referrer\r\n")
                .contains("\r\nCache-Control: no-store\r\n")
                .contains("\r\nContent-Type: ")
                .doesNotContain("Access-Control-Allow");
    }

    private long flag() {
        return fixture.serverFlags().number(RpcFlag.HEALTH_CHECK_INTERVAL);
    }

    @Test
    void shouldChangeNothingByDefault() throws Exception {
        Server server = fixture.server(ServerOptions.DEFAULT);

        assertThat(answer(server, "GET " + FLAG + "?setvalue=7", "")).startsWith("405 ");
        assertThat(answer(server, "HEAD " + FLAG + "?setvalue=7", "")).startsWith("405 ");
        assertThat(answer(server, "POST " + FLAG + "?setvalue=7", "")).startsWith("403 ");
        assertThat(answer(server, "POST " + FLAG, "setvalue=7")).startsWith("403 ");
        for (String method : List.of("PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT")) {
            assertThat(answer(server, method + " " + FLAG + "?setvalue=7", "")).startsWith("405 ");
        }
        assertThat(flag()).isEqualTo(3);
    }

    @Test
    void shouldLetTheLocalAdministratorChangeFlags() throws Exception {
        Path file = folder.resolve("token");
        Server server =
                fixture.server(
                        ServerOptions.DEFAULT.withPageAccess(
                                PageAccess.DEFAULT.withTokenFile(file)));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        String token = Files.readString(file).strip();
        String bearer = "Authorization: Bearer " + token;
        String basic =
                "Authorization: Basic "
                        + Base64.getEncoder()
                                .encodeToString(("me:" + token).getBytes(StandardCharsets.UTF_8));

        assertThat(answer(server, "POST " + FLAG, "setvalue=7")).startsWith("401 ");
        assertThat(answer(server, "POST " + FLAG, "setvalue=7", bearer + "x")).startsWith("401 ");
        assertThat(answer(server, "POST " + FLAG, "setvalue=7", "Authorization: Bearer"))
                .startsWith("401 ");
        assertThat(answer(server, "GET " + FLAG + "?setvalue=7", "", bearer)).startsWith("405 ");
        assertThat(flag()).isEqualTo(3);
        assertThat(answer(server, "POST " + FLAG, "setvalue=7", bearer))
                .containsPattern("health_check_interval +7 +3 ");
        assertThat(flag()).isEqualTo(7);
        assertThat(answer(server, "POST " + FLAG + "?setvalue=8", "", basic)).startsWith("200 ");
        assertThat(flag()).isEqualTo(8);
        assertThat(answer(server, "POST " + FLAG, "setvalue=%3Cb%3E", bearer))
                .isEqualTo("400 health_check_interval: not a number in 1..86400\n");
        assertThat(answer(server, "POST " + FLAG, "setvalue=0", bearer)).startsWith("400 ");
        assertThat(answer(server, "POST " + FLAG, "", bearer)).startsWith("400 ");
        assertThat(answer(server, "POST /flags/rdma_sq_size", "setvalue=64", bearer))
                .startsWith("403 ");
        assertThat(answer(server, "POST /flags/no_such", "setvalue=1", bearer)).startsWith("404 ");
        assertThat(answer(server, "POST " + FLAG, "x".repeat(5000), bearer)).startsWith("413 ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Origin: http://evil.example",
                "Origin: null",
                "Referer: http://evil.example/page",
                "Sec-Fetch-Site: cross-site",
                "Sec-Fetch-Site: same-site"
            })
    void shouldRefuseChangesFromOtherSitesEvenWithTheToken(String header) throws Exception {
        Path file = folder.resolve("token");
        Server server =
                fixture.server(
                        ServerOptions.DEFAULT.withPageAccess(
                                PageAccess.DEFAULT.withTokenFile(file)));
        String bearer = "Authorization: Bearer " + Files.readString(file).strip();

        assertThat(answer(server, "POST " + FLAG, "setvalue=7", bearer, header))
                .startsWith("403 origin: ");
        assertThat(flag()).isEqualTo(3);
    }

    @Test
    void shouldUseATokenFileThatIsSafe() throws Exception {
        Path file = folder.resolve("token");
        Files.createFile(
                file,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, "sixteen letters!\n");
        ServerOptions options =
                ServerOptions.DEFAULT.withPageAccess(PageAccess.DEFAULT.withTokenFile(file));
        Server server = fixture.server(options);

        assertThat(
                        answer(
                                server,
                                "POST " + FLAG,
                                "setvalue=7",
                                "Authorization: bearer sixteen letters!"))
                .startsWith("200 ");

        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        assertThatThrownBy(() -> fixture.server(options))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("rw-r-----");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--------"));
        fixture.server(options);
        Path empty = folder.resolve("empty");
        Files.createFile(
                empty,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        assertThatThrownBy(
                        () ->
                                fixture.server(
                                        ServerOptions.DEFAULT.withPageAccess(
                                                PageAccess.DEFAULT.withTokenFile(empty))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at least 16");
    }

    @Test
    void shouldLetOnlyAdministratorsChangeFlags() throws Exception {
        Server server =
                fixture.server(
                        ServerOptions.DEFAULT
                                .withAuth(new Passwords())
                                .withPageAccess(
                                        PageAccess.DEFAULT
                                                .withCredentialRequired(true)
                                                .withAdministrators("root")));
        String root = "Authorization: Bearer root's";
        String guest = "Authorization: Bearer guest's";

        assertThat(answer(server, "GET /health", "")).startsWith("200 ");
        for (String page : List.of("/", "/status", "/vars", "/flags", "/connections", FLAG)) {
            assertThat(answer(server, "GET " + page, "")).startsWith("401 ");
            assertThat(answer(server, "GET " + page, "", guest)).startsWith("200 ");
        }
        assertThat(answer(server, "POST " + FLAG, "setvalue=7")).startsWith("401 ");
        assertThat(answer(server, "POST " + FLAG, "setvalue=7", guest)).startsWith("403 ");
        assertThat(flag()).isEqualTo(3);
        assertThat(answer(server, "POST " + FLAG, "setvalue=7", root)).startsWith("200 ");
        assertThat(flag()).isEqualTo(7);
    }

    @Test
    void shouldRejectAccessThatNobodyCouldUse() {
        PageAccess open = PageAccess.DEFAULT;
        for (PageAccess access :
                List.of(
                        open.withCredentialRequired(true),
                        open.withAdministrators("root"),
                        open.withAddress(InetAddress.getLoopbackAddress()))) {
            assertThatThrownBy(() -> fixture.server(ServerOptions.DEFAULT.withPageAccess(access)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> open.withTrustedOrigins("https://a.example/path"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldShowPagesOnAnotherAddress() throws Exception {
        InetAddress other = InetAddress.getByName("127.0.0.2");
        Server server =
                fixture.server(
                        ServerOptions.DEFAULT
                                .withInternalPort(0)
                                .withPageAccess(PageAccess.DEFAULT.withAddress(other)));

        assertThat(answer(server, "GET /status", "")).startsWith("403 ");
        assertThat(answer(server, "GET /health", "")).isEqualTo("200 OK\n");
        InetSocketAddress pages = server.internalAddress().orElseThrow();
        assertThat(pages.getAddress()).isEqualTo(other);
        assertThat(send(pages, request("GET /status", ""))).startsWith("HTTP/1.1 200 ");
        assertThat(send(pages, request("GET /health", ""))).startsWith("HTTP/1.1 200 ");
        assertThat(send(pages, request("POST /EchoService/Echo", JSON)))
                .startsWith("HTTP/1.1 404 ");
    }

    @Test
    void shouldShowNothingAtAllWithoutBuiltinServices() throws Exception {
        Server server =
                fixture.server(
                        ServerOptions.DEFAULT.withHasBuiltinServices(false).withInternalPort(0));
        InetSocketAddress pages = server.internalAddress().orElseThrow();

        for (String page : List.of("/", "/health", "/status", "/flags")) {
            assertThat(answer(server, "GET " + page, "")).startsWith("403 ");
            assertThat(send(pages, request("GET " + page, ""))).startsWith("HTTP/1.1 403 ");
        }
    }

    @Test
    void shouldAuthenticateEachRequestOfAConnection() throws Exception {
        Server server = fixture.server(ServerOptions.DEFAULT.withAuth(new Passwords()));
        String known = request("POST /EchoService/Echo", JSON, "Authorization: Bearer root's");
        String stranger = request("POST /EchoService/Echo", JSON);

        String answers =
                send(server.address(), known.replace("Connection: close\r\n", "") + stranger);

        assertThat(answers).startsWith("HTTP/1.1 200 ").contains("HTTP/1.1 401 ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "application/json",
                "application/proto",
                "application/x-www-form-urlencoded",
                "text/plain",
                "multipart/form-data; boundary=x",
                "text/plain; charset=application/json",
                "text/plain, application/json",
                ""
            })
    void shouldRefuseCallsFromOtherSites(String contentType) throws Exception {
        Server server = fixture.server(ServerOptions.DEFAULT);
        String type = contentType.isEmpty() ? "X-None: 1" : "Content-Type: " + contentType;
        for (String from :
                List.of(
                        "Origin: http://evil.example",
                        "Origin: null",
                        "Referer: http://evil.example/",
                        "Sec-Fetch-Site: cross-site")) {
            for (String method :
                    List.of(
                            "POST", "GET", "HEAD", "PUT", "OPTIONS", "DELETE", "PATCH", "TRACE",
                            "CONNECT")) {
                assertThat(answer(server, method + " /EchoService/Echo", JSON, type, from))
                        .as(method)
                        .startsWith(method.equals("POST") ? "403 " : "405 ");
            }
        }
        assertThat(answer(server, "GET /status", "")).contains("\ncount: 0\n");
    }

    @Test
    void shouldRefuseContentTypesOfForms() throws Exception {
        Server server = fixture.server(ServerOptions.DEFAULT);
        String line = "POST /EchoService/Echo";
        String browser = "User-Agent: Mozilla/5.0";
        String json = "Content-Type: application/json";
        String form = "Content-Type: application/x-www-form-urlencoded";

        assertThat(answer(server, line, JSON, "Content-Type: text/plain")).startsWith("415 ");
        assertThat(answer(server, line, JSON, "content-type:TEXT/PLAIN;x")).startsWith("415 ");
        assertThat(answer(server, line, JSON, "Content-Type: multipart/form-data; boundary=x"))
                .startsWith("415 ");
        assertThat(answer(server, line, JSON, json, "Content-Type: text/plain")).startsWith("415 ");
        assertThat(answer(server, line, JSON, form, browser)).startsWith("415 ");
        assertThat(answer(server, line, JSON, browser)).startsWith("415 ");
        // curl, and pages of this server's own
        assertThat(answer(server, line, JSON, form)).startsWith("200 ");
        assertThat(answer(server, line, JSON)).startsWith("200 ");
        assertThat(answer(server, line, JSON, json, "Origin: http://127.0.0.1")).startsWith("200 ");
    }

    @Test
    void shouldAcceptCallsFromTrustedSites() throws Exception {
        Server server =
                fixture.server(
                        ServerOptions.DEFAULT.withPageAccess(
                                PageAccess.DEFAULT.withTrustedOrigins("https://console.example")));

        assertThat(
                        answer(
                                server,
                                "POST /EchoService/Echo",
                                JSON,
                                "Content-Type: application/json",
                                "Origin: https://console.example",
                                "Sec-Fetch-Site: cross-site"))
                .startsWith("200 ");
    }

    @Test
    void shouldRepeatNothingOfARequest() throws Exception {
        Server server = fixture.server(ServerOptions.DEFAULT);
        String mark = "MARK4711";

        for (String answer :
                List.of(
                        answer(server, "GET /" + mark, ""),
                        answer(server, "GET /a/" + mark, ""),
                        answer(server, "POST /EchoService/" + mark, JSON),
                        answer(server, "POST /" + mark + "/Echo", JSON),
                        answer(server, "POST /a.b." + mark + "/Echo", JSON),
                        answer(server, "GET /flags/" + mark, ""),
                        answer(server, "GET /vars/" + mark, ""),
                        answer(server, "GET /status?" + mark + "=" + mark, ""),
                        answer(server, "POST /EchoService/Echo", "{\"sleep_ms\":" + mark + "}"),
                        answer(server, "POST /EchoService/Echo", "{" + mark),
                        answer(
                                server,
                                "POST /EchoService/Echo",
                                "{\"fail_with\":\"" + mark + "\"}"),
                        answer(server, "GET /status", "", mark + ": " + mark),
                        answer(server, "GET /status", "", "Host: " + mark))) {
            assertThat(answer).doesNotContainIgnoringCase(mark);
        }
    }
}
