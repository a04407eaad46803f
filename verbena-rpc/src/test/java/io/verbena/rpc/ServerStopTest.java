// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.RpcCallback;
import com.google.protobuf.RpcController;
import io.verbena.rpc.test.EchoRequest;
import io.verbena.rpc.test.EchoResponse;
import io.verbena.transport.SocketMode;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Servers that stop under load: what they took is answered, what comes later is refused. {@code
 * -Dverbena.stop.cycles=1000} makes it long.
 */
class ServerStopTest {
    private static final int LANES = 24;

    private final int cycles = Integer.getInteger("verbena.stop.cycles", 20);
    private RpcFixture fixture;

    private void open(SocketMode mode) {
        fixture = new RpcFixture(mode);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    /** Counts the calls it answered. */
    private static final class Counting extends EchoServices.Echo {
        private final AtomicInteger served = new AtomicInteger();

        @Override
        public void echo(
                RpcController controller, EchoRequest request, RpcCallback<EchoResponse> done) {
            served.incrementAndGet();
            super.echo(controller, request, done);
        }

        @Override
        @NonBlocking
        public void echoInline(
                RpcController controller, EchoRequest request, RpcCallback<EchoResponse> done) {
            served.incrementAndGet();
            super.echoInline(controller, request, done);
        }

        void awaitLoad() {
            int least = served.get() + 4 * LANES;
            RpcFixture.eventually(() -> served.get() >= least, () -> "served " + served);
        }
    }

    /** Calls one after the other until one fails. */
    private static final class Lane {
        private final Channel channel;
        private final MethodDescriptor method;
        private final AtomicInteger answered;
        private final Set<Integer> codes;
        private final CountDownLatch ended;

        Lane(
                Channel channel,
                MethodDescriptor method,
                AtomicInteger answered,
                Set<Integer> codes,
                CountDownLatch ended) {
            this.channel = channel;
            this.method = method;
            this.answered = answered;
            this.codes = codes;
            this.ended = ended;
        }

        void call() {
            Controller controller = channel.controller();
            channel.callMethod(
                    method,
                    controller,
                    EchoCalls.request("x"),
                    EchoResponse.getDefaultInstance(),
                    _ -> onEnd(controller));
        }

        private void onEnd(Controller controller) {
            if (controller.failed()) {
                codes.add(controller.errorCode());
                ended.countDown();
            } else {
                answered.incrementAndGet();
                call();
            }
            controller.close();
        }
    }

    @ParameterizedTest
    @EnumSource(SocketMode.class)
    void shouldAnswerEveryCallItTook(SocketMode mode) throws Exception {
        open(mode);
        for (int cycle = 0; cycle < cycles; cycle++) {
            stopUnderLoad(mode, cycle % 4 == 3 ? EchoCalls.ECHO : EchoCalls.INLINE);
        }
    }

    private void stopUnderLoad(SocketMode mode, MethodDescriptor method) throws Exception {
        Counting service = new Counting();
        AtomicInteger answered = new AtomicInteger();
        Set<Integer> codes = new ConcurrentSkipListSet<>();
        CountDownLatch ended = new CountDownLatch(LANES);
        try (Server server = server(service, mode);
                Channel channel =
                        Channel.open(
                                fixture.clientSide.node,
                                RpcFixture.addressOf(server),
                                RpcFixture.PATIENT
                                        .withSocketMode(mode)
                                        .withMaxRetry(0)
                                        .withCallbackInline(true))) {
            for (int i = 0; i < LANES; i++) {
                new Lane(channel, method, answered, codes, ended).call();
            }
            service.awaitLoad();
            server.stop();
            server.join();

            assertThat(ended.await(20, TimeUnit.SECONDS)).as("all lanes end").isTrue();
        }
        assertThat(answered.get())
                .as("answers to the calls that the service ran; failures: %s", codes)
                .isEqualTo(service.served.get());
        assertThat(codes)
                .isSubsetOf(
                        RpcError.ELOGOFF.code(),
                        RpcError.EEOF.code(),
                        RpcError.ECONNREFUSED.code(),
                        RpcError.ECONNRESET.code(),
                        RpcError.EPIPE.code(),
                        RpcError.EFAILEDSOCKET.code(),
                        RpcError.EHOSTDOWN.code());
    }

    private Server server(EchoServices.Echo service, SocketMode mode) {
        return new Server(fixture.serverSide.node)
                .add(service)
                .start(RpcFixture.anyPort(), ServerOptions.DEFAULT.withSocketMode(mode));
    }

    @Test
    void shouldAnswerEveryHttpCallItTook() throws Exception {
        open(SocketMode.TCP);
        for (int cycle = 0; cycle < cycles; cycle++) {
            Counting service = new Counting();
            AtomicInteger answered = new AtomicInteger();
            List<Thread> clients = new ArrayList<>();
            try (Server server = server(service, SocketMode.TCP)) {
                for (int i = 0; i < 3; i++) {
                    int port = server.address().getPort();
                    clients.add(
                            Thread.ofVirtual()
                                    .name("http-" + i)
                                    .start(() -> answered.addAndGet(callByHttp(port))));
                }
                service.awaitLoad();
                server.stop();
                server.join();
                for (Thread client : clients) {
                    client.join();
                }
            }
            assertThat(answered.get())
                    .as("answers to the calls that the service ran")
                    .isEqualTo(service.served.get());
        }
    }

    /** Sends requests, some of them slow, without waiting for each; {@return how many went well} */
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

    /** {@return so many answers, or fewer if the connection ends} */
    private static String answers(InputStream input, int wanted) throws IOException {
        StringBuilder text = new StringBuilder();
        byte[] bytes = new byte[4096];
        int length = 0;
        // the last byte of an answer ends its JSON, or its line of text
        while (length >= 0
                && !(count(text.toString(), "HTTP/1.1 ") == wanted
                        && (text.charAt(text.length() - 1) == '}'
                                || text.toString().endsWith("stops\n")))) {
            length = input.read(bytes);
            text.append(new String(bytes, 0, Math.max(0, length), StandardCharsets.ISO_8859_1));
        }
        return text.toString();
    }

    private static int count(String text, String part) {
        return text.split(java.util.regex.Pattern.quote(part), -1).length - 1;
    }

    /** Stops its server when it has answered, on the connection's thread. */
    private static final class Stopping extends EchoServices.Echo {
        private volatile Server server;
        private volatile Thread joiner;

        @Override
        @NonBlocking
        public void echoInline(
                RpcController controller, EchoRequest request, RpcCallback<EchoResponse> done) {
            super.echoInline(controller, request, done);
            server.stop();
            joiner = Thread.ofPlatform().name("joiner").start(server::close);
            try {
                // long enough for a server that does not wait for what is collected
                boolean _ = joiner.join(Duration.ofMillis(100));
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(SocketMode.class)
    void shouldWriteWhatIsCollectedBeforeItCloses(SocketMode mode) throws Exception {
        open(mode);
        Stopping service = new Stopping();
        service.server = server(service, mode);
        Channel channel =
                fixture.channel(
                        service.server, RpcFixture.PATIENT.withSocketMode(mode).withMaxRetry(0));
        try (Controller controller = channel.controller()) {
            EchoResponse answer =
                    channel.call(
                                    EchoCalls.INLINE,
                                    controller,
                                    EchoCalls.request("x"),
                                    EchoResponse.getDefaultInstance())
                            .get(20, TimeUnit.SECONDS);

            assertThat(answer.getMessage()).isEqualTo("x");
        }
        service.joiner.join();
    }

    @Test
    void shouldWriteWhatIsCollectedForHttpBeforeItCloses() throws Exception {
        open(SocketMode.TCP);
        Stopping service = new Stopping();
        service.server = server(service, SocketMode.TCP);
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), service.server.address().getPort())) {
            socket.setSoTimeout(20_000);
            String request = request("EchoInline", "{\"message\":\"x\"}");
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));

            assertThat(answers(socket.getInputStream(), 1)).startsWith("HTTP/1.1 200");
        }
        service.joiner.join();
    }

    @Test
    void shouldRefuseConnectionsAndCallsWhileCallsGoOn() throws Exception {
        open(SocketMode.TCP);
        Server server = fixture.server(ServerOptions.DEFAULT);
        Channel channel = fixture.channel(server, RpcFixture.PATIENT.withMaxRetry(0));
        try (Controller slow = channel.controller();
                Controller late = channel.controller()) {
            var running =
                    EchoCalls.start(
                            channel,
                            slow,
                            EchoRequest.newBuilder().setMessage("slow").setSleepMs(300).build());
            RpcFixture.eventually(() -> server.concurrency() == 1, () -> "no call");

            server.stop();

            EchoCalls.echo(channel, late, "late");
            assertThat(late.errorCode()).isEqualTo(RpcError.ELOGOFF.code());
            RpcFixture.eventually(() -> isRefused(server), () -> "still accepting");
            server.join();
            assertThat(running.get(20, TimeUnit.SECONDS).getMessage()).isEqualTo("slow");
            assertThat(server.connections()).isEmpty();
        }
    }

    private static boolean isRefused(Server server) {
        try (RawClient _ = new RawClient(server.address().getPort())) {
            return false;
        } catch (ConnectException e) {
            return true;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldWaitForTheStopWhenJoined() throws Exception {
        open(SocketMode.TCP);
        Server server = fixture.server(ServerOptions.DEFAULT);
        CountDownLatch joined = new CountDownLatch(1);
        Thread joiner =
                Thread.ofVirtual()
                        .name("joiner")
                        .start(
                                () -> {
                                    try {
                                        server.join();
                                        joined.countDown();
                                    } catch (InterruptedException e) {
                                        Thread.currentThread().interrupt();
                                    }
                                });
        assertThat(joined.await(50, TimeUnit.MILLISECONDS)).isFalse();

        server.stop();

        assertThat(joined.await(20, TimeUnit.SECONDS)).isTrue();
        joiner.join();
        assertThatThrownBy(() -> new RawClient(server.address().getPort()).close())
                .isInstanceOf(ConnectException.class);
    }
}
