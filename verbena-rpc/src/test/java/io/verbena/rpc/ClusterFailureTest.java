// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpc.spi.ServerNode;
import io.verbena.rpc.test.EchoRequest;
import io.verbena.rpc.test.EchoResponse;
import io.verbena.rpc.test.EchoService;
import io.verbena.rpc.test.probe.Answer;
import io.verbena.rpc.test.probe.ProbeServiceClient;
import io.verbena.testing.FreePort;
import io.verbena.testing.TestCertificates;
import io.verbena.transport.ClientSslOptions;
import io.verbena.transport.PemContext;
import io.verbena.transport.SocketMode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ServerSocketFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a channel does about servers that fail. */
class ClusterFailureTest {
    private final RpcFixture fixture = new RpcFixture(SocketMode.TCP);

    @AfterEach
    void close() {
        fixture.close();
    }

    /** A server that counts its calls and fails while told to. */
    private static final class Moody extends EchoServices.Echo {
        final AtomicInteger calls = new AtomicInteger();
        volatile int code;

        @Override
        public void echo(
                ServerController controller, EchoRequest request, Consumer<EchoResponse> done) {
            calls.incrementAndGet();
            if (code != 0) {
                controller.setFailed(code, "moody");
                done.accept(EchoResponse.getDefaultInstance());
                return;
            }
            super.echo(controller, request, done);
        }
    }

    private Server server(Moody service) {
        return fixture.closing(
                new Server(fixture.serverSide.node)
                        .add(service)
                        .start(RpcFixture.anyPort(), ServerOptions.DEFAULT));
    }

    private Channel channel(List<Server> servers, String balancer, ClusterOptions cluster) {
        String url =
                servers.stream()
                        .map(RpcFixture::addressOf)
                        .collect(Collectors.joining(",", "list://", ""));
        return fixture.closing(
                Channel.open(
                        fixture.clientSide.node,
                        url,
                        balancer,
                        RpcFixture.PATIENT.withCluster(cluster)));
    }

    private int call(Channel channel) {
        try (ClientController controller = channel.controller()) {
            EchoCalls.echo(channel, controller, "x");
            return controller.errorCode();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {500, 1000, 8000})
    void shouldNotMultiplyTheLoadWhenHalfOfTheServersFail(int calls) {
        List<Moody> services = new ArrayList<>();
        List<Server> servers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Moody moody = new Moody();
            moody.code = i < 2 ? RpcError.ELIMIT.code() : 0;
            services.add(moody);
            servers.add(server(moody));
        }
        Channel channel = channel(servers, "rr", ClusterOptions.DEFAULT);
        // one after the other: a busy machine takes milliseconds for each
        for (int i = 0; i < calls; i++) {
            call(channel);
        }

        int offered = services.stream().mapToInt(moody -> moody.calls.get()).sum();
        assertThat(offered).isBetween(calls, calls * 12 / 10);
    }

    @Test
    void shouldNotMultiplyTheLoadWithBackupsWhenHalfOfTheServersHang() {
        CountDownLatch release = new CountDownLatch(1);
        AtomicInteger offered = new AtomicInteger();
        List<Server> servers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            boolean isHung = i < 2;
            servers.add(
                    fixture.closing(
                            new Server(fixture.serverSide.node)
                                    .add(
                                            Probes.service(
                                                    (call, question) -> {
                                                        offered.incrementAndGet();
                                                        if (isHung) {
                                                            release.await();
                                                        }
                                                        return Probes.answer("x");
                                                    }))
                                    .start(RpcFixture.anyPort(), ServerOptions.DEFAULT)));
        }
        Channel channel = channel(servers, "rr", ClusterOptions.DEFAULT);
        ProbeServiceClient client = new ProbeServiceClient(channel);
        int calls = 500;
        List<CompletableFuture<Answer>> answers = new ArrayList<>();
        for (int i = 0; i < calls; i++) {
            ClientController call = fixture.closing(channel.controller());
            call.setTimeoutMs(6_000);
            // long after servers that live have answered
            call.setBackupRequestMs(3_000);
            answers.add(client.askAsync(Probes.question("x"), call));
        }
        long answered =
                answers.stream()
                        .filter(each -> each.handle((a, failure) -> failure == null).join())
                        .count();
        release.countDown();
        RpcFixture.eventually(() -> offered.get() >= calls, () -> "offered " + offered);

        assertThat(answered).as("helped by backups").isGreaterThan(calls / 2 + 10);
        assertThat(offered.get()).isBetween(calls, calls * 12 / 10);
    }

    @Test
    void shouldNotMultiplyTheLoadWhenHalfOfTheServersAreDead() {
        List<Moody> services = List.of(new Moody(), new Moody());
        List<Server> servers = services.stream().map(this::server).toList();
        String url =
                Stream.concat(
                                servers.stream().map(RpcFixture::addressOf),
                                Stream.of("127.0.0.1:1", "127.0.0.1:2"))
                        .collect(Collectors.joining(",", "list://", ""));
        Channel channel =
                fixture.closing(
                        Channel.open(fixture.clientSide.node, url, "rr", RpcFixture.PATIENT));
        int calls = 5000;
        int tries = 0;
        for (int i = 0; i < calls; i++) {
            try (ClientController controller = channel.controller()) {
                EchoCalls.echo(channel, controller, "x");
                tries += 1 + controller.retriedCount();
            }
        }

        assertThat(tries).isBetween(calls, calls * 12 / 10);
        assertThat(services).allMatch(each -> each.calls.get() > calls / 3);
    }

    @Test
    void shouldConnectWhenListedIfAsked() {
        Server server = server(new Moody());
        Channel lazy = channel(List.of(server), "rr", ClusterOptions.DEFAULT);
        assertThat(server.connections()).isEmpty();
        Channel eager =
                channel(List.of(server), "rr", ClusterOptions.DEFAULT.withEagerConnections(true));

        RpcFixture.eventually(
                () -> server.connections().size() == 1, () -> server.connections().toString());
        assertThat(call(eager)).isZero();
        assertThat(call(lazy)).isZero();
    }

    @Test
    void shouldLeaveOutAServerThatFailsUntilItWorksAgain() {
        Moody good = new Moody();
        Moody bad = new Moody();
        bad.code = 4711;
        Channel channel =
                channel(
                        List.of(server(good), server(bad)),
                        "rr",
                        ClusterOptions.DEFAULT.withCircuitBreaker(true));
        int failed = 0;
        int inARow = 0;
        // each probe lets some calls through again, after twice the time
        for (int i = 0; i < 3000 && inARow < 20; i++) {
            boolean isGood = call(channel) == 0;
            failed += isGood ? 0 : 1;
            inARow = isGood ? inARow + 1 : 0;
        }

        assertThat(inARow).as("answered in a row, %d failed", failed).isEqualTo(20);
        // the long window opens at 5 % of 3000
        assertThat(failed).isGreaterThanOrEqualTo(140);
        bad.code = 0;
        int before = bad.calls.get();
        RpcFixture.eventually(
                () -> call(channel) == 0 && bad.calls.get() > before,
                () -> "calls " + bad.calls.get());
    }

    @Test
    void shouldReviveAServerOnlyWhenItsHealthCallSucceeds() throws IOException {
        fixture.clientSide.node.flags().set(RpcFlag.HEALTH_CHECK_INTERVAL, 1L);
        int port = FreePort.choose();
        Channel channel =
                fixture.closing(
                        Channel.open(
                                fixture.clientSide.node,
                                "127.0.0.1:" + port,
                                RpcFixture.PATIENT.withCluster(
                                        ClusterOptions.DEFAULT.withHealthCall(
                                                EchoService.Methods.ECHO,
                                                EchoCalls.request("well?")))));
        assertThat(call(channel)).isEqualTo(RpcError.EHOSTDOWN.code());
        Moody service = new Moody();
        service.code = 4711;
        fixture.closing(
                new Server(fixture.serverSide.node)
                        .add(service)
                        .start(port, ServerOptions.DEFAULT));
        RpcFixture.eventually(() -> service.calls.get() > 0, () -> "never probed");
        assertThat(call(channel)).isEqualTo(RpcError.EHOSTDOWN.code());
        service.code = 0;

        RpcFixture.eventually(() -> call(channel) == 0, () -> "not revived");
    }

    /** The module under test has no HTTP: a socket that speaks just enough of it does. */
    @Test
    void shouldAskForThePageOfTheHealthCheck() throws Exception {
        askForThePage(RpcFixture.PATIENT, ServerSocketFactory.getDefault());
    }

    @Test
    void shouldAskForThePageOfTheHealthCheckThroughTls(@TempDir Path folder) throws Exception {
        TestCertificates certificates = TestCertificates.in(folder);
        askForThePage(
                RpcFixture.PATIENT.withSslOptions(
                        ClientSslOptions.DEFAULT.withCaFile(certificates.file("ca.pem"))),
                PemContext.of(
                                Optional.empty(),
                                Optional.of(certificates.file("server.pem")),
                                Optional.of(certificates.file("server.key")))
                        .getServerSocketFactory());
    }

    private void askForThePage(ChannelOptions options, ServerSocketFactory sockets)
            throws Exception {
        fixture.clientSide.node.flags().set(RpcFlag.HEALTH_CHECK_INTERVAL, 1L);
        AtomicInteger asked = new AtomicInteger();
        int port = FreePort.choose();
        Channel channel =
                fixture.closing(
                        Channel.open(
                                fixture.clientSide.node,
                                "127.0.0.1:" + port,
                                options.withCluster(
                                        ClusterOptions.DEFAULT.withHealthPath("/health"))));
        assertThat(call(channel)).isEqualTo(RpcError.EHOSTDOWN.code());
        try (ServerSocket pages =
                sockets.createServerSocket(port, 10, InetAddress.getLoopbackAddress())) {
            Thread.ofPlatform().daemon().name("pages").start(() -> answer(pages, asked));
            // refused first, then healthy: only then is the server called, which this one is not
            RpcFixture.eventually(() -> asked.get() >= 2, () -> "asked " + asked.get());
            RpcFixture.eventually(
                    () -> call(channel) != RpcError.EHOSTDOWN.code(), () -> "not revived");
        }
    }

    private static void answer(ServerSocket pages, AtomicInteger asked) {
        while (!pages.isClosed()) {
            try (Socket socket = pages.accept()) {
                byte[] request = new byte[12];
                if (socket.getInputStream().readNBytes(request, 0, 12) == 12
                        && new String(request, java.nio.charset.StandardCharsets.US_ASCII)
                                .equals("GET /health ")) {
                    String status = asked.getAndIncrement() == 0 ? "503 Not yet" : "200 OK";
                    socket.getOutputStream()
                            .write(
                                    ("HTTP/1.1 " + status + "\r\nContent-Length: 0\r\n\r\n")
                                            .getBytes(java.nio.charset.StandardCharsets.US_ASCII));
                    socket.getOutputStream().flush();
                }
            } catch (IOException e) {
                // the next one
            }
        }
    }

    @Test
    void shouldPreferItsZoneAndLeaveItOnlyWhenAllOfItIsGone() {
        Moody near = new Moody();
        Moody far = new Moody();
        Server nearServer = server(near);
        Server farServer = server(far);
        String url =
                "list://"
                        + RpcFixture.addressOf(nearServer)
                        + " zone=a,"
                        + RpcFixture.addressOf(farServer)
                        + " zone=b";
        Channel channel =
                fixture.closing(
                        Channel.open(
                                fixture.clientSide.node,
                                url,
                                "rr",
                                RpcFixture.PATIENT.withCluster(
                                        ClusterOptions.DEFAULT.withZone("a"))));
        for (int i = 0; i < 50; i++) {
            assertThat(call(channel)).isZero();
        }
        assertThat(far.calls.get()).isZero();
        nearServer.close(Duration.ofSeconds(10));

        RpcFixture.eventually(() -> call(channel) == 0, () -> "no answer");
        assertThat(far.calls.get()).isPositive();
    }

    @Test
    void shouldChangeLittleOfASubset() {
        List<ServerNode> all = new ArrayList<>();
        for (int i = 1; i <= 100; i++) {
            all.add(new ServerNode(new InetSocketAddress(InetAddress.getLoopbackAddress(), i), ""));
        }
        int[] used = new int[101];
        for (long seed = 0; seed < 200; seed++) {
            Preference preference = new Preference("", 10, seed);
            List<ServerNode> before = preference.of(all);
            assertThat(before).hasSize(10);
            before.forEach(server -> used[server.address().getPort()]++);
            List<ServerNode> fewer = new ArrayList<>(all);
            fewer.remove((int) seed % 100);
            List<ServerNode> after = preference.of(fewer);
            assertThat(before.stream().filter(server -> !after.contains(server)).count())
                    .isLessThanOrEqualTo(1);
        }
        for (int port = 1; port <= 100; port++) {
            assertThat(used[port]).as("channels with server %d", port).isBetween(5, 45);
        }
    }

    @Test
    void shouldRejectSomeCallsWhileTheClusterRecovers() {
        AtomicLong clock = new AtomicLong(1);
        ClusterRecovery recovery = new ClusterRecovery(4, 3, clock::get);
        Target up = Target.of(node(1), RpcFixture.PATIENT, fixture.clientSide.node.remotes());
        Target[] two = {up, up};
        assertThat(recovery.isAdmitted(two)).isTrue();
        recovery.begin();
        int admitted = 0;
        for (int i = 0; i < 10_000; i++) {
            admitted += recovery.isAdmitted(two) ? 1 : 0;
        }

        // two of four work
        assertThat(admitted).isBetween(4000, 6000);
        clock.addAndGet(TimeUnit.SECONDS.toNanos(4));
        assertThat(recovery.isAdmitted(two)).isTrue();
        recovery.begin();
        assertThat(recovery.isAdmitted(new Target[] {up, up, up, up})).isTrue();
        up.release(fixture.clientSide.node.remotes());
    }

    @Test
    void shouldRejectSomeCallsOfAChannelWhoseServersComeBackOneByOne() {
        fixture.clientSide.node.flags().set(RpcFlag.HEALTH_CHECK_INTERVAL, 1L);
        int port = FreePort.choose();
        Channel channel =
                fixture.closing(
                        Channel.open(
                                fixture.clientSide.node,
                                "list://127.0.0.1:" + port + ",127.0.0.1:1",
                                "rr",
                                RpcFixture.PATIENT.withCluster(
                                        ClusterOptions.DEFAULT.withRecovery(2, 600))));
        RpcFixture.eventually(
                () -> call(channel) == RpcError.EHOSTDOWN.code(), () -> "a server is available");
        fixture.closing(
                new Server(fixture.serverSide.node)
                        .add(new Moody())
                        .start(port, ServerOptions.DEFAULT));
        RpcFixture.eventually(() -> call(channel) == 0, () -> "not revived");
        int[] codes = new int[200];
        Arrays.setAll(codes, i -> call(channel));

        assertThat(codes).containsOnly(0, RpcError.EREJECT.code());
        // one of two works; the chance to be this far off is below one in ten billion
        assertThat(Arrays.stream(codes).filter(code -> code == 0).count()).isBetween(54L, 146L);
    }

    private static ServerNode node(int port) {
        return new ServerNode(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), "");
    }

    /** {@return a channel to the servers of a registry that begins slowly with new ones} */
    private Channel warmingUp(ScriptedNaming naming) {
        ChannelOptions options =
                RpcFixture.PATIENT.withCluster(ClusterOptions.DEFAULT.withSlowStartMs(600_000));
        return fixture.closing(
                new Channel(
                        fixture.clientSide.node,
                        new CallSettings(
                                options,
                                fixture.clientSide.node.balancedServers(
                                        "test://",
                                        naming.named(),
                                        () -> new Plugins().balancer("rr"),
                                        options))));
    }

    @Test
    void shouldWarmUpAServerThatIsNewToARunningCluster() {
        Moody old = new Moody();
        Moody fresh = new Moody();
        ScriptedNaming naming =
                new ScriptedNaming(List.of(new ServerNode(server(old).address(), "")));
        Channel channel = warmingUp(naming);
        var _ = naming.register("", new ServerNode(server(fresh).address(), ""));
        for (int i = 0; i < 1000; i++) {
            assertThat(call(channel)).isZero();
        }

        // evenly, it would be 500
        assertThat(fresh.calls.get()).isBetween(10, 200);
    }

    @Test
    void shouldNotWarmUpAServerForAChannelThatKnowsItForLong() {
        Moody known = new Moody();
        ServerNode old = new ServerNode(server(new Moody()).address(), "");
        ServerNode shared = new ServerNode(server(known).address(), "");
        Channel knowing = warmingUp(new ScriptedNaming(List.of(old, shared)));
        ScriptedNaming naming = new ScriptedNaming(List.of(old));
        warmingUp(naming);
        var _ = naming.register("", shared);
        for (int i = 0; i < 100; i++) {
            assertThat(call(knowing)).isZero();
        }

        assertThat(known.calls.get()).isEqualTo(50);
    }

    @Test
    void shouldLeaveTheRegistryBeforeItStops() throws Exception {
        Path folder = Files.createTempDirectory("verbena-drain");
        Path list = folder.resolve("servers");
        Server staying = fixture.server(ServerOptions.DEFAULT);
        Server leaving = fixture.server(ServerOptions.DEFAULT);
        staying.announce("file://" + list, "");
        leaving.announce("file://" + list, "w=2");
        assertThat(leaving.isListed()).isTrue();
        Channel channel =
                fixture.closing(
                        Channel.open(
                                fixture.clientSide.node,
                                "file://" + list,
                                "rr",
                                RpcFixture.PATIENT.withMaxRetry(0)));
        AtomicInteger failed = new AtomicInteger();
        AtomicBoolean isOver = new AtomicBoolean();
        Thread caller =
                Thread.ofPlatform()
                        .name("caller")
                        .start(
                                () -> {
                                    while (!isOver.get()) {
                                        failed.addAndGet(call(channel) == 0 ? 0 : 1);
                                    }
                                });
        leaving.drain(Duration.ofSeconds(4), Duration.ofSeconds(20));
        isOver.set(true);
        caller.join();

        assertThat(failed.get()).isZero();
        assertThat(Files.readAllLines(list)).hasSize(1);
        assertThat(leaving.isListed()).isFalse();
        staying.stop();
    }
}
