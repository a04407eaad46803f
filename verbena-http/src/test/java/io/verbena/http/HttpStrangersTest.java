// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpc.Authenticator;
import io.verbena.rpc.RpcFlag;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.rpc.testing.NodePair;
import io.verbena.testing.Eventually;
import io.verbena.transport.SocketMode;
import io.verbena.transport.TransportFlag;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** HTTP clients that begin requests and do not end them, or have no credentials. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class HttpStrangersTest {
    /** More than any of the tests needs at a time. */
    private static final int NEWCOMERS_PER_ADDRESS = 400;

    private final HttpFixture fixture =
            new HttpFixture(
                    SocketMode.TCP,
                    NodePair.FLAGS.with(
                            TransportFlag.MAX_NEWCOMERS_PER_ADDRESS, NEWCOMERS_PER_ADDRESS));
    private final List<Socket> sockets = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (Socket socket : sockets) {
            socket.close();
        }
        fixture.close();
    }

    private Socket send(Server server, String text) throws IOException {
        Socket socket = new Socket(server.address().getAddress(), server.address().getPort());
        sockets.add(socket);
        socket.setSoTimeout(20_000);
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        return socket;
    }

    @Test
    void shouldCutRequestsThatDoNotEnd() throws Exception {
        fixture.serverFlags().set(RpcFlag.REQUEST_TIMEOUT_MS, 1000L);
        Server server = fixture.server(ServerOptions.DEFAULT);
        String head = "POST /EchoService/Echo HTTP/1.1\r\nHost: h\r\n";
        for (int i = 0; i < 50; i++) {
            send(server, "GE");
            send(server, head);
            send(server, head + "Content-Length: 9\r\n\r\n");
            send(server, head + "Content-Length: 9\r\n\r\n{}");
            send(server, head + "Transfer-Encoding: chunked\r\n\r\n");
            send(server, head + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n");
        }

        fixture.call(server, 1);

        for (Socket socket : sockets) {
            assertThat(readAll(socket))
                    .startsWith("HTTP/1.1 408 Request Timeout\r\n")
                    .contains("\r\nConnection: close\r\n")
                    .endsWith("request: incomplete after 1000 ms (see request_timeout_ms)\n");
        }
        Eventually.become(
                () -> server.connections().size() == 1, () -> "" + server.connections().size());
        fixture.call(server, 1);
    }

    private static String readAll(Socket socket) throws IOException {
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    }

    @Test
    void shouldKeepConnectionsBetweenRequests() throws Exception {
        fixture.serverFlags().set(RpcFlag.REQUEST_TIMEOUT_MS, 1L);
        Server server = fixture.server(ServerOptions.DEFAULT);
        String get = "GET /health HTTP/1.1\r\nHost: h\r\n\r\n";
        Socket idle = send(server, get);
        Socket cut = send(server, get + "G");
        readAnswer(idle);

        assertThat(readAll(cut)).containsSubsequence("HTTP/1.1 200 ", "OK\n", "HTTP/1.1 408 ");

        idle.getOutputStream().write(get.getBytes(StandardCharsets.US_ASCII));
        readAnswer(idle);
    }

    private static void readAnswer(Socket socket) throws IOException {
        StringBuilder text = new StringBuilder();
        while (text.indexOf("OK\n") < 0) {
            int next = socket.getInputStream().read();
            assertThat(next).as(text.toString()).isNotNegative();
            text.append((char) next);
        }
    }

    /** Refuses everybody. */
    private static final class Nobody implements Authenticator {
        @Override
        public byte[] generateCredential() {
            return new byte[0];
        }

        @Override
        public String verifyCredential(byte[] credential, InetSocketAddress client) {
            return "no";
        }
    }

    @Test
    void shouldAuthenticateBeforeItCollectsALargeBody() throws Exception {
        Server server = fixture.server(ServerOptions.DEFAULT.withAuth(new Nobody()));
        for (String framing : List.of("Content-Length: 9000000", "Transfer-Encoding: chunked")) {
            String chunk = framing.startsWith("T") ? "f4240\r\n" : "";
            Socket socket =
                    send(
                            server,
                            "POST /EchoService/Echo HTTP/1.1\r\nHost: h\r\n"
                                    + framing
                                    + "\r\n\r\n"
                                    + chunk
                                    + "x".repeat(200_000));

            assertThat(readAll(socket))
                    .startsWith("HTTP/1.1 401 ")
                    .contains("\r\nConnection: close\r\n");
        }
    }

    @Test
    void shouldSayThatABodyIsTooLarge() throws Exception {
        fixture.serverFlags().set(RpcFlag.MAX_BODY_SIZE, 100_000L);
        Server server = fixture.server(ServerOptions.DEFAULT);
        String head = "POST /EchoService/Echo HTTP/1.1\r\nHost: h\r\n";
        String body = "x".repeat(5 << 20);

        for (String request :
                List.of(
                        head + "Content-Length: 5242880\r\n\r\n" + body,
                        head + "Transfer-Encoding: chunked\r\n\r\n500000\r\n" + body)) {
            assertThat(readAll(send(server, request)))
                    .startsWith("HTTP/1.1 413 ")
                    .contains("\r\nConnection: close\r\n")
                    .contains("max_body_size");
        }
    }

    /** A page that anyone may see proves nothing, so the connection counts as a stranger's. */
    @Test
    void shouldNotTakeAnOpenPageForAProof() throws Exception {
        Server open = fixture.server(ServerOptions.DEFAULT);
        Server closed = fixture.server(ServerOptions.DEFAULT.withAuth(new Nobody()));
        String get = "GET /health HTTP/1.1\r\nHost: h\r\n\r\n";
        Socket client = send(open, get);
        Socket stranger = send(closed, get);
        readAnswer(client);
        readAnswer(stranger);

        for (int i = 0; i < NEWCOMERS_PER_ADDRESS; i++) {
            send(open, "");
            send(closed, "");
        }

        assertThat(readAll(stranger)).isEmpty();
        client.getOutputStream().write(get.getBytes(StandardCharsets.US_ASCII));
        readAnswer(client);
    }
}
