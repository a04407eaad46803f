// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.rpc.test.EchoRequest;
import io.verbena.rpc.test.EchoResponse;
import io.verbena.testing.FreePort;
import io.verbena.transport.SocketMode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The behavior of a channel, in success and in failure. */
class ChannelTest {
    private final RpcFixture fixture = new RpcFixture(SocketMode.TCP);

    @AfterEach
    void close() throws Exception {
        fixture.close();
    }

    /** Answers with its own number; fails or holds calls on request. */
    private static final class Numbered extends EchoServices.Echo {
        private final int number;
        private final int failWith;
        private final AtomicInteger calls = new AtomicInteger();

        Numbered(int number, int failWith) {
            this.number = number;
            this.failWith = failWith;
        }

        @Override
        public void echo(
                ServerController controller, EchoRequest request, Consumer<EchoResponse> done) {
            calls.incrementAndGet();
            if (failWith != 0) {
                controller.setFailed(failWith, "as told");
            }
            done.accept(EchoResponse.newBuilder().setMessage(String.valueOf(number)).build());
        }
    }

    private Server server(EchoServices.Echo service) {
        return fixture.closing(
                new Server(fixture.serverSide.node)
                        .add(service)
                        .start(RpcFixture.anyPort(), ServerOptions.DEFAULT));
    }

    private Channel channel(String url, ChannelOptions options) {
        return fixture.closing(Channel.open(fixture.clientSide.node, url, "rr", options));
    }

    private static String list(Server... servers) {
        List<String> addresses = new ArrayList<>();
        for (Server server : servers) {
            addresses.add(RpcFixture.addressOf(server));
        }
        return "list://" + String.join(",", addresses);
    }

    @ParameterizedTest
    @EnumSource(ConnectionType.class)
    void shouldCallOverEachTypeOfConnection(ConnectionType type) {
        Server server = server(new EchoServices.Echo());
        Channel channel = fixture.channel(server, RpcFixture.PATIENT.withConnectionType(type));
        List<CompletableFuture<EchoResponse>> answers = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            answers.add(
                    EchoCalls.start(channel, channel.controller(), EchoCalls.request("call " + i)));
        }

        for (int i = 0; i < answers.size(); i++) {
            assertThat(answers.get(i).join().getMessage()).isEqualTo("call " + i);
        }
        ClientController controller = channel.controller();
        assertThat(EchoCalls.echo(channel, controller, "one more")).isEqualTo("one more");
    }

    @Test
    void shouldGoRound() {
        Server[] servers = new Server[3];
        for (int i = 0; i < servers.length; i++) {
            servers[i] = server(new Numbered(i, 0));
        }
        Channel channel = channel(list(servers), RpcFixture.PATIENT);
        Map<String, Integer> counts = new HashMap<>();
        for (int i = 0; i < 30; i++) {
            counts.merge(EchoCalls.echo(channel, channel.controller(), "x"), 1, Integer::sum);
        }

        assertThat(counts).isEqualTo(Map.of("0", 10, "1", 10, "2", 10));
    }

    @Test
    void shouldTryAnotherServerWhenOneRefuses() {
        Numbered bad = new Numbered(0, RpcError.ELIMIT.code());
        Channel channel =
                channel(list(server(bad), server(new Numbered(1, 0))), RpcFixture.PATIENT);
        int retried = 0;
        for (int i = 0; i < 10; i++) {
            ClientController controller = channel.controller();
            assertThat(EchoCalls.echo(channel, controller, "x")).isEqualTo("1");
            retried += controller.retriedCount();
        }

        assertThat(bad.calls.get()).isEqualTo(retried).isPositive();
    }

    @Test
    void shouldNotTryAgainWhatTheServerMayHaveRun() {
        Numbered bad = new Numbered(0, RpcError.EINTERNAL.code());
        Channel channel = channel(list(server(bad)), RpcFixture.PATIENT);
        ClientController controller = channel.controller();
        EchoCalls.echo(channel, controller, "x");

        assertThat(controller.errorCode()).isEqualTo(RpcError.EINTERNAL.code());
        assertThat(bad.calls.get()).isEqualTo(1);
    }

    @Test
    void shouldTryAsOftenAsItMay() {
        Numbered bad = new Numbered(0, RpcError.ELIMIT.code());
        Channel channel = channel(list(server(bad)), RpcFixture.PATIENT.withMaxRetry(2));
        ClientController controller = channel.controller();
        EchoCalls.echo(channel, controller, "x");

        assertThat(controller.errorCode()).isEqualTo(RpcError.ELIMIT.code());
        assertThat(controller.retriedCount()).isEqualTo(2);
        assertThat(controller.errorText()).contains("[E2004]").contains("[R1]").contains("[R2]");
        assertThat(bad.calls.get()).isEqualTo(3);
    }

    @Test
    void shouldReviveAServerThatComesBack() throws IOException {
        int port = FreePort.choose();
        fixture.clientSide.node.flags().set(RpcFlag.HEALTH_CHECK_INTERVAL, 1L);
        Channel channel =
                fixture.closing(
                        Channel.open(
                                fixture.clientSide.node, "127.0.0.1:" + port, RpcFixture.PATIENT));
        ClientController controller = channel.controller();
        EchoCalls.echo(channel, controller, "nobody there");

        assertThat(controller.errorCode()).isEqualTo(RpcError.EHOSTDOWN.code());
        assertThat(controller.errorText()).startsWith("[E111]").contains("[R1][E112]");

        fixture.closing(
                new Server(fixture.serverSide.node)
                        .add(new EchoServices.Echo())
                        .start(port, ServerOptions.DEFAULT));
        RpcFixture.eventually(
                () -> {
                    controller.reset();
                    return EchoCalls.echo(channel, controller, "back").equals("back");
                },
                controller::errorText);
    }

    @Test
    void shouldSendABackupRequestAndTakeTheFirstAnswer() {
        CountDownLatch release = new CountDownLatch(1);
        AtomicInteger slowCalls = new AtomicInteger();
        Server slow =
                server(
                        new EchoServices.Echo() {
                            @Override
                            public void echo(
                                    ServerController controller,
                                    EchoRequest request,
                                    Consumer<EchoResponse> done) {
                                slowCalls.incrementAndGet();
                                await(release);
                                done.accept(EchoResponse.newBuilder().setMessage("slow").build());
                            }
                        });
        Server fast = server(new Numbered(1, 0));
        Channel channel = channel(list(slow, fast), RpcFixture.PATIENT.withBackupRequestMs(20));
        int backups = 0;
        for (int i = 0; i < 4; i++) {
            ClientController controller = channel.controller();
            assertThat(EchoCalls.echo(channel, controller, "x")).isEqualTo("1");
            backups += controller.hasBackupRequest() ? 1 : 0;
        }
        // what was sent arrives some time, also if the other server was quicker
        RpcFixture.eventually(() -> slowCalls.get() > 0, () -> "the slow one was never called");
        release.countDown();

        assertThat(backups).isGreaterThanOrEqualTo(slowCalls.get());
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldEndACallThatIsCanceled() {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        Server server =
                server(
                        new EchoServices.Echo() {
                            @Override
                            public void echo(
                                    ServerController controller,
                                    EchoRequest request,
                                    Consumer<EchoResponse> done) {
                                entered.countDown();
                                await(release);
                                super.echo(controller, request, done);
                            }
                        });
        Channel channel = fixture.channel(server, RpcFixture.PATIENT);
        ClientController controller = channel.controller();
        CompletableFuture<EchoResponse> answer =
                EchoCalls.start(channel, controller, EchoCalls.request("x"));
        await(entered);
        controller.startCancel();

        assertThatThrownBy(answer::join).hasCauseInstanceOf(RpcException.class);
        assertThat(controller.errorCode()).isEqualTo(RpcError.ECANCELED.code());
        release.countDown();
        controller.startCancel();
    }

    @Test
    void shouldTellAServiceThatItsClientIsGone() throws Exception {
        CountDownLatch told = new CountDownLatch(1);
        Server server =
                server(
                        new EchoServices.Echo() {
                            @Override
                            public void echo(
                                    ServerController controller,
                                    EchoRequest request,
                                    Consumer<EchoResponse> done) {
                                controller.onCancel(
                                        () -> {
                                            assertThat(controller.isCanceled()).isTrue();
                                            told.countDown();
                                        });
                                await(told);
                                super.echo(controller, request, done);
                            }
                        });
        Channel channel =
                Channel.open(
                        fixture.clientSide.node, RpcFixture.addressOf(server), RpcFixture.PATIENT);
        CompletableFuture<EchoResponse> answer =
                EchoCalls.start(channel, channel.controller(), EchoCalls.request("x"));
        RpcFixture.eventually(() -> !serverIsIdle(server), () -> "no call yet");
        channel.close();

        assertThatThrownBy(answer::join)
                .hasCauseInstanceOf(RpcException.class)
                .hasMessageContaining("ECLOSE (2005)");
        await(told);
    }

    private static boolean serverIsIdle(Server server) {
        return server.concurrency() == 0;
    }

    @ParameterizedTest
    @EnumSource(ConnectionType.class)
    void shouldKeepTheFirstTryWhenTheBackupFails(ConnectionType type) {
        CountDownLatch release = new CountDownLatch(1);
        AtomicInteger calls = new AtomicInteger();
        Server server =
                server(
                        new EchoServices.Echo() {
                            @Override
                            public void echo(
                                    ServerController controller,
                                    EchoRequest request,
                                    Consumer<EchoResponse> done) {
                                if (calls.incrementAndGet() == 1) {
                                    await(release);
                                    super.echo(controller, request, done);
                                } else {
                                    controller.setFailed("the backup fails");
                                    done.accept(EchoResponse.getDefaultInstance());
                                    release.countDown();
                                }
                            }
                        });
        Channel channel =
                fixture.channel(
                        server,
                        RpcFixture.PATIENT.withBackupRequestMs(20).withConnectionType(type));
        ClientController controller = channel.controller();

        assertThat(EchoCalls.echo(channel, controller, "first")).isEqualTo("first");
        assertThat(controller.hasBackupRequest()).isTrue();
        assertThat(calls.get()).isEqualTo(2);
    }

    @Test
    void shouldEndCallsWhenTheNodeIsClosed() throws Exception {
        try (ServerSocket deaf = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            RpcNode node = RpcNode.over(fixture.clientSide.transport, new RpcFlags());
            Channel channel =
                    Channel.open(
                            node,
                            "127.0.0.1:" + deaf.getLocalPort(),
                            RpcFixture.PATIENT.withTimeoutMs(-1));
            ClientController controller = channel.controller();
            CompletableFuture<EchoResponse> answer =
                    EchoCalls.start(channel, controller, EchoCalls.request("x"));
            node.close();

            assertThatThrownBy(answer::join).hasCauseInstanceOf(RpcException.class);
            assertThat(controller.errorCode()).isEqualTo(RpcError.ECLOSE.code());
            channel.close();
        }
    }

    @Test
    void shouldHoldTheDeadlineOverAllTries() throws Exception {
        try (ServerSocket deaf = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Channel channel =
                    channel(
                            "list://127.0.0.1:" + deaf.getLocalPort(),
                            RpcFixture.PATIENT.withTimeoutMs(3_000).withBackupRequestMs(30));
            ClientController controller = channel.controller();
            long start = System.nanoTime();
            EchoCalls.echo(channel, controller, "x");
            long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);

            assertThat(controller.errorCode()).isEqualTo(RpcError.ERPCTIMEDOUT.code());
            assertThat(controller.hasBackupRequest()).isTrue();
            assertThat(tookMs).isBetween(3_000L, 30_000L);
        }
    }

    @Test
    void shouldFailWhenTheServerHangsUp() throws Exception {
        try (ServerSocket rude = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread acceptor =
                    Thread.ofVirtual()
                            .name("rude")
                            .start(
                                    () -> {
                                        try {
                                            for (int i = 0; i < 10; i++) {
                                                try (Socket socket = rude.accept()) {
                                                    socket.getInputStream().read();
                                                }
                                            }
                                        } catch (IOException expected) {
                                            Thread.currentThread().interrupt();
                                        }
                                    });
            Channel channel =
                    channel(
                            "list://127.0.0.1:" + rude.getLocalPort(),
                            RpcFixture.PATIENT.withMaxRetry(1));
            ClientController controller = channel.controller();
            EchoCalls.echo(channel, controller, "x");

            assertThat(controller.errorCode())
                    .isIn(RpcError.EEOF.code(), RpcError.ECONNRESET.code());
            assertThat(controller.retriedCount()).isEqualTo(1);
            acceptor.interrupt();
        }
    }

    @Test
    void shouldSayThatThereIsNoServer() {
        Channel channel = channel("list://", RpcFixture.PATIENT);
        ClientController controller = channel.controller();
        EchoCalls.echo(channel, controller, "x");

        assertThat(controller.errorCode()).isEqualTo(RpcError.ENODATA.code());
        assertThatThrownBy(
                        () ->
                                channel(
                                        "list://",
                                        RpcFixture.PATIENT.withSucceedWithoutServer(false)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldCarryWhatTheControllerSays() {
        Server server =
                server(
                        new EchoServices.Echo() {
                            @Override
                            public void echo(
                                    ServerController controller,
                                    EchoRequest request,
                                    Consumer<EchoResponse> done) {
                                controller
                                        .responseUserFields()
                                        .putAll(controller.requestUserFields());
                                controller
                                        .responseUserFields()
                                        .put("log", String.valueOf(controller.logId()));
                                controller
                                        .responseUserFields()
                                        .put("request", controller.requestId());
                                controller.setResponseCompressType(CompressType.ZLIB);
                                controller.setResponseChecksum(true);
                                super.echo(controller, request, done);
                            }
                        });
        Channel channel = fixture.channel(server, RpcFixture.PATIENT);
        ClientController controller = channel.controller();
        controller.setLogId(99);
        controller.setRequestId("abc");
        controller.requestUserFields().put("color", "blue");

        assertThat(EchoCalls.echo(channel, controller, "x".repeat(9000))).hasSize(9000);
        assertThat(controller.responseUserFields())
                .isEqualTo(Map.of("color", "blue", "log", "99", "request", "abc"));
        assertThat(controller.remoteSide().getPort()).isEqualTo(server.address().getPort());
    }

    @Test
    void shouldRefuseASecondAnswer() throws Exception {
        CompletableFuture<Throwable> second = new CompletableFuture<>();
        Server server =
                server(
                        new EchoServices.Echo() {
                            @Override
                            public void echo(
                                    ServerController controller,
                                    EchoRequest request,
                                    Consumer<EchoResponse> done) {
                                super.echo(controller, request, done);
                                try {
                                    super.echo(controller, request, done);
                                    second.complete(new AssertionError("answered twice"));
                                } catch (IllegalStateException e) {
                                    second.complete(e);
                                }
                            }
                        });
        Channel channel = fixture.channel(server, RpcFixture.PATIENT);

        assertThat(EchoCalls.echo(channel, channel.controller(), "x")).isEqualTo("x");
        assertThat(second.get(20, TimeUnit.SECONDS)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void shouldTellOfAServiceThatThrows() {
        Server server =
                server(
                        new EchoServices.Echo() {
                            @Override
                            public void echo(
                                    ServerController controller,
                                    EchoRequest request,
                                    Consumer<EchoResponse> done) {
                                throw new IllegalStateException("ouch");
                            }
                        });
        Channel channel = fixture.channel(server, RpcFixture.PATIENT);
        ClientController controller = channel.controller();
        EchoCalls.echo(channel, controller, "x");

        assertThat(controller.errorCode()).isEqualTo(RpcError.EINTERNAL.code());
        assertThat(controller.errorText()).contains("ouch");
    }

    /** Deadlines wait for the timer's thread: it must not connect, nor run the user's code. */
    @Test
    void shouldNotSendBackupRequestsOnTheTimersThread() throws Exception {
        Set<String> threads = ConcurrentHashMap.newKeySet();
        Authenticator noting =
                new Authenticator() {
                    @Override
                    public byte[] generateCredential() {
                        threads.add(Thread.currentThread().getName());
                        return new byte[1];
                    }

                    @Override
                    public String verifyCredential(byte[] credential, InetSocketAddress remote) {
                        return "";
                    }
                };
        CountDownLatch tries = new CountDownLatch(2);
        EchoServices.Echo service =
                new EchoServices.Echo() {
                    @Override
                    public void echo(
                            ServerController controller,
                            EchoRequest request,
                            Consumer<EchoResponse> done) {
                        tries.countDown();
                        await(tries);
                        super.echo(controller, request, done);
                    }
                };
        Server server =
                fixture.closing(
                        new Server(fixture.serverSide.node)
                                .add(service)
                                .start(
                                        RpcFixture.anyPort(),
                                        ServerOptions.DEFAULT.withAuth(noting)));
        Channel channel =
                fixture.channel(
                        server,
                        RpcFixture.PATIENT
                                .withAuth(noting)
                                .withConnectionType(ConnectionType.SHORT)
                                .withBackupRequestMs(50));
        try (ClientController controller = channel.controller()) {
            assertThat(EchoCalls.echo(channel, controller, "x")).isEqualTo("x");
            assertThat(controller.hasBackupRequest()).isTrue();
        }
        assertThat(threads).hasSize(2).doesNotContain("verbena-rpc-timer");
    }
}
