// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.grpc.test.EchoRequest;
import io.verbena.grpc.test.EchoService;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.transport.SocketMode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One port speaks gRPC, HTTP/1 and {@code baidu_std}. */
class SamePortTest {
    private final GrpcFixture fixture = new GrpcFixture(SocketMode.TCP);
    private final Server server = fixture.server(new EchoResponder(), ServerOptions.DEFAULT);

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void shouldSpeakThreeProtocols() throws IOException {
        Channel channel = fixture.plainChannel(server.address().getPort(), ChannelOptions.DEFAULT);
        EchoRequest request = EchoRequest.newBuilder().setMessage("x").build();

        assertThat(channel.call(EchoService.Methods.ECHO, request).getMessage()).isEqualTo("x");
        assertThat(fixture.peer(server).echo("x").getMessage()).isEqualTo("x");
        assertThat(http("POST /test.EchoService/Echo", "{\"message\":\"x\"}"))
                .startsWith("HTTP/1.1 200 OK")
                .contains("\"message\":\"x\"");
    }

    @Test
    void shouldReadAnHttpRequestByteByByte() throws IOException {
        assertThat(http("POST /test.EchoService/Echo", "{\"message\":\"P\"}"))
                .startsWith("HTTP/1.1 200 OK");
        assertThat(http("PUT /x", "")).startsWith("HTTP/1.1 404");
    }

    private String http(String line, String body) throws IOException {
        String request =
                line
                        + " HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: "
                        + body.length()
                        + "\r\n\r\n"
                        + body;
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), server.address().getPort())) {
            for (byte each : request.getBytes(StandardCharsets.US_ASCII)) {
                socket.getOutputStream().write(each);
                socket.getOutputStream().flush();
            }
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
