// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.memory.BlockPool;
import io.verbena.memory.IOBuf;
import io.verbena.transport.SocketMode;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Servers without verbena-http on the path, as in this module: they speak baidu_std only. */
class NoHttpTest {
    private static final String REQUEST = "GET /health HTTP/1.1\r\nHost: h\r\n\r\n";

    private final RpcFixture fixture = new RpcFixture(SocketMode.TCP);

    @AfterEach
    void close() {
        fixture.close();
    }

    /** {@return what a server answers before it closes the connection} */
    private static byte[] answerTo(Server server, String text) throws IOException {
        try (Socket socket =
                new Socket(server.address().getAddress(), server.address().getPort())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
            return socket.getInputStream().readAllBytes();
        } catch (SocketException e) {
            // reset instead of closed
            return new byte[0];
        }
    }

    @Test
    void shouldCloseConnectionsThatBeginWithHttpAndServeOthers() throws Exception {
        Server server = fixture.server(ServerOptions.DEFAULT);
        Channel channel = fixture.channel(server, RpcFixture.PATIENT);
        try (ClientController controller = channel.controller()) {
            assertThat(answerTo(server, REQUEST)).isEmpty();

            assertThat(EchoCalls.echo(channel, controller, "still here")).isEqualTo("still here");
        }
        RpcFixture.eventually(
                () -> server.connections().size() == 1, () -> "" + server.connections());
    }

    @Test
    void shouldSayWhatToAddWhenHttpIsWanted() {
        assertThatThrownBy(() -> fixture.server(ServerOptions.DEFAULT.withEnabledProtocols("http")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("enabled_protocols: http (expected: [baidu_std]")
                .hasMessageContaining("verbena-http");
        assertThatThrownBy(() -> fixture.server(ServerOptions.DEFAULT.withInternalPort(0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("internal_port: 0")
                .hasMessageContaining("verbena-http");
    }

    @ParameterizedTest
    @CsvSource({
        "GET / HTTP/1.1, true",
        "OPTIONS * HTTP/1.1, true",
        "GET, false",
        "GETTING / HTTP/1.1, true",
        "FOOBARBAZ /, false",
        "get / HTTP/1.1, false",
        "PRPX0000, false",
        "x, false",
    })
    void shouldSayWhatUnknownBytesLookLike(String text, boolean isHttp) {
        BlockPool pool = fixture.serverSide.pool;
        try (IOBuf received = pool.buffer().append(text)) {
            String described = UnknownInput.describe(received, List.of("baidu_std"));

            assertThat(described).contains("expected: one of [baidu_std]");
            assertThat(described.contains("verbena-http")).isEqualTo(isHttp);
        }
    }
}
