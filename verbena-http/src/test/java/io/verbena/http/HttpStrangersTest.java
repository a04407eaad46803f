// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpc.Authenticator;
import io.verbena.rpc.RpcFlag;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.transport.SocketMode;
import java.io.IOException;
import java.io.InputStream;
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
    private final HttpFixture fixture = new HttpFixture(SocketMode.TCP);
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
            assertThat(isEnded(socket.getInputStream())).isTrue();
        }
        fixture.call(server, 1);
    }

    private static boolean isEnded(InputStream input) {
        try {
            return input.read() < 0;
        } catch (java.net.SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true; // reset
        }
    }

    @Test
    void shouldKeepConnectionsBetweenRequests() throws Exception {
        fixture.serverFlags().set(RpcFlag.REQUEST_TIMEOUT_MS, 1L);
        Server server = fixture.server(ServerOptions.DEFAULT);
        String get = "GET /health HTTP/1.1\r\nHost: h\r\n\r\n";
        Socket idle = send(server, get);
        Socket cut = send(server, get + "G");
        readAnswer(idle);

        assertThat(isEnded(cut.getInputStream()) || isEndedAfterAnswer(cut)).isTrue();

        idle.getOutputStream().write(get.getBytes(StandardCharsets.US_ASCII));
        readAnswer(idle);
    }

    private static boolean isEndedAfterAnswer(Socket socket) throws IOException {
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII)
                .endsWith("OK\n");
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

            String answer =
                    new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);

            assertThat(answer).startsWith("HTTP/1.1 401 ").contains("\r\nConnection: close\r\n");
        }
    }
}
