// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import io.verbena.rpc.Call;
import io.verbena.rpc.CallChain;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerInterceptor;
import io.verbena.rpc.ServerOptions;
import io.verbena.transport.SocketMode;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Servers that stop while clients call over HTTP. {@code -Dverbena.stop.cycles=1000} runs it for
 * long.
 */
class HttpStopTest {
    /** Calls that a server answers before it is stopped. */
    private static final int LOAD = 96;

    private final int cycles = Integer.getInteger("verbena.stop.cycles", 20);
    private final HttpFixture fixture = new HttpFixture(SocketMode.TCP);

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void shouldAnswerEveryHttpCallItTook() throws Exception {
        for (int cycle = 0; cycle < cycles; cycle++) {
            EchoResponder service = new EchoResponder();
            AtomicInteger answered = new AtomicInteger();
            List<Thread> clients = new ArrayList<>();
            try (Server server = fixture.server(service, ServerOptions.DEFAULT)) {
                for (int i = 0; i < 3; i++) {
                    int port = server.address().getPort();
                    clients.add(
                            Thread.ofVirtual()
                                    .name("http-" + i)
                                    .start(() -> answered.addAndGet(callByHttp(port))));
                }
                service.awaitLoad(LOAD);
                server.stop();
                server.join();
                for (Thread client : clients) {
                    client.join();
                }
            }
            assertThat(answered.get())
                    .as("answers to the calls that the service ran")
                    .isEqualTo(service.served());
        }
    }

    /** Sends requests, some of them slow, without waiting for each; {@return how many succeeded} */
    private static int callByHttp(int port) {
        String body = "{\"message\":\"x\"}";
        String inline = request("EchoInline", body);
        byte[] batch =
                (inline + request("Echo", body) + inline + inline)
                        .getBytes(StandardCharsets.US_ASCII);
        int good = 0;
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(20_000);
            int answers = 4;
            while (answers == 4) {
                socket.getOutputStream().write(batch);
                String text = answers(socket.getInputStream(), 4);
                answers = count(text, "HTTP/1.1 ");
                good += count(text, "HTTP/1.1 200");
            }
        } catch (IOException e) {
            // A write to a server that is gone; what it answered before was read.
            assertThat(e).isInstanceOf(java.net.SocketException.class);
        }
        return good;
    }

    private static String request(String method, String body) {
        return "POST /test.EchoService/"
                + method
                + " HTTP/1.1\r\nHost: x\r\nContent-Length: "
                + body.length()
                + "\r\n\r\n"
                + body;
    }

    /** {@return the wanted number of answers, or fewer if the connection ends} */
    private static String answers(InputStream input, int wanted) throws IOException {
        StringBuilder text = new StringBuilder();
        byte[] bytes = new byte[4096];
        int length = 0;
        // the last byte of an answer ends its JSON, or its line of text
        while (length >= 0
                && !(count(text.toString(), "HTTP/1.1 ") == wanted
                        && (text.charAt(text.length() - 1) == '}'
                                || text.toString().endsWith("stopping\n")))) {
            length = input.read(bytes);
            text.append(new String(bytes, 0, Math.max(0, length), StandardCharsets.ISO_8859_1));
        }
        return text.toString();
    }

    private static int count(String text, String part) {
        return text.split(java.util.regex.Pattern.quote(part), -1).length - 1;
    }

    /** Stops its server when the service has answered, on the connection's thread. */
    private static final class Stopping implements ServerInterceptor {
        private volatile Server server;
        private volatile Thread joiner;

        @Override
        public void intercept(Call call, Message request, CallChain next)
                throws InterruptedException {
            next.proceed(request);
            server.stop();
            joiner = Thread.ofPlatform().name("joiner").start(server::close);
            // long enough for a server that does not wait for what is collected
            boolean _ = joiner.join(Duration.ofMillis(100));
        }
    }

    @Test
    void shouldWriteWhatIsCollectedForHttpBeforeItCloses() throws Exception {
        Stopping stopping = new Stopping();
        stopping.server = fixture.server(ServerOptions.DEFAULT.withInterceptors(stopping));
        int port = stopping.server.address().getPort();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(20_000);
            String request = request("EchoInline", "{\"message\":\"x\"}");
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));

            assertThat(answers(socket.getInputStream(), 1)).startsWith("HTTP/1.1 200");
        }
        stopping.joiner.join();
    }
}
