// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.rpc.spi.ServerNode;
import io.verbena.rpc.test.EchoRequest;
import io.verbena.rpc.test.EchoResponse;
import io.verbena.transport.SocketMode;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Servers that stop under load: calls that were accepted are answered, later ones are refused.
 * {@code -Dverbena.stop.cycles=1000} runs it for long.
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
                ServerController controller, EchoRequest request, Consumer<EchoResponse> done) {
            served.incrementAndGet();
            super.echo(controller, request, done);
        }

        @Override
        @NonBlocking
        public void echoInline(
                ServerController controller, EchoRequest request, Consumer<EchoResponse> done) {
            served.incrementAndGet();
            super.echoInline(controller, request, done);
        }

        void awaitLoad() {
            int least = served.get() + 4 * LANES;
            RpcFixture.eventually(() -> served.get() >= least, () -> "served " + served);
        }
    }

    /** Makes one call after another until one fails. */
    private static final class Lane {
        private final Channel channel;
        private final RpcMethod<EchoRequest, EchoResponse> method;
        private final AtomicInteger answered;
        private final Set<Integer> codes;
        private final CountDownLatch ended;

        Lane(
                Channel channel,
                RpcMethod<EchoRequest, EchoResponse> method,
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
            ClientController controller = channel.controller();
            channel.start(method, EchoCalls.request("x"), controller, _ -> onEnd(controller));
        }

        private void onEnd(ClientController controller) {
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

    private static ServerNode node(Server server) {
        return new ServerNode(server.address(), "");
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"drain", "stop", "close"})
    void shouldNotBeListedIfItIsAnnouncedMeanwhile(String how) throws Exception {
        open(SocketMode.TCP);
        Server server = fixture.server(ServerOptions.DEFAULT);
        ScriptedNaming naming = new ScriptedNaming(List.of());
        CountDownLatch isRegistering = new CountDownLatch(1);
        CountDownLatch isStopped = new CountDownLatch(1);
        naming.whileRegistering(
                () -> {
                    isRegistering.countDown();
                    awaitQuietly(isStopped);
                });
        CompletableFuture<Server> announced =
                CompletableFuture.supplyAsync(() -> server.announce(naming.named(), node(server)));
        awaitQuietly(isRegistering);

        switch (how) {
            case "drain" -> server.drain(Duration.ofMillis(1), Duration.ofSeconds(5));
            case "stop" -> server.stop();
            default -> server.close();
        }
        isStopped.countDown();

        assertThatThrownBy(() -> announced.get(20, TimeUnit.SECONDS))
                .hasCauseInstanceOf(IllegalStateException.class)
                .hasMessageContaining("left its registries");
        assertThat(naming.servers()).isEmpty();
        assertThat(server.isListed()).isFalse();
        assertThatThrownBy(() -> server.announce(naming.named(), node(server)))
                .isInstanceOf(IllegalStateException.class);
        assertThat(naming.servers()).isEmpty();
    }

    @Test
    void shouldBeAnnouncedAgainIfItIsNotDrainedAfterAll() {
        open(SocketMode.TCP);
        Server server = fixture.server(ServerOptions.DEFAULT);
        ScriptedNaming naming = new ScriptedNaming(List.of());
        server.announce(naming.named(), node(server));
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> server.drain(Duration.ofHours(1), Duration.ofHours(1)))
                .isInstanceOf(InterruptedException.class);

        assertThat(naming.servers()).isEmpty();
        server.announce(naming.named(), node(server));
        assertThat(naming.servers()).containsExactly(node(server));
    }

    @ParameterizedTest
    @EnumSource(SocketMode.class)
    void shouldAnswerEveryCallItTook(SocketMode mode) throws Exception {
        open(mode);
        for (int cycle = 0; cycle < cycles; cycle++) {
            stopUnderLoad(mode, cycle % 4 == 3 ? EchoCalls.ECHO : EchoCalls.INLINE);
        }
    }

    private void stopUnderLoad(SocketMode mode, RpcMethod<EchoRequest, EchoResponse> method)
            throws Exception {
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

    /** Stops its server when it has answered, on the connection's thread. */
    private static final class Stopping extends EchoServices.Echo {
        private volatile Server server;
        private volatile Thread joiner;

        @Override
        @NonBlocking
        public void echoInline(
                ServerController controller, EchoRequest request, Consumer<EchoResponse> done) {
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
        try (ClientController controller = channel.controller()) {
            EchoResponse answer =
                    channel.callAsync(EchoCalls.INLINE, EchoCalls.request("x"), controller)
                            .get(20, TimeUnit.SECONDS);

            assertThat(answer.getMessage()).isEqualTo("x");
        }
        service.joiner.join();
    }

    @Test
    void shouldRefuseConnectionsAndCallsWhileCallsGoOn() throws Exception {
        open(SocketMode.TCP);
        CountDownLatch release = new CountDownLatch(1);
        EchoServices.Echo service =
                new EchoServices.Echo() {
                    @Override
                    public void echo(
                            ServerController controller,
                            EchoRequest request,
                            Consumer<EchoResponse> done) {
                        awaitQuietly(release);
                        super.echo(controller, request, done);
                    }
                };
        Server server = fixture.closing(server(service, SocketMode.TCP));
        Channel channel = fixture.channel(server, RpcFixture.PATIENT.withMaxRetry(0));
        try (ClientController slow = channel.controller();
                ClientController late = channel.controller()) {
            var running = EchoCalls.start(channel, slow, EchoCalls.request("slow"));
            RpcFixture.eventually(() -> server.concurrency() == 1, () -> "no call");

            server.stop();

            EchoCalls.echo(channel, late, "late");
            assertThat(late.errorCode()).isEqualTo(RpcError.ELOGOFF.code());
            RpcFixture.eventually(() -> isRefused(server), () -> "still accepting");
            release.countDown();
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

    /** Keeps its callers waiting for ever. */
    private static final class Silent extends EchoServices.Echo {
        @Override
        public void echo(
                ServerController controller, EchoRequest request, Consumer<EchoResponse> done) {
            // no answer, not even later
        }
    }

    @ParameterizedTest
    @EnumSource(SocketMode.class)
    void shouldCloseInTimeAlthoughACallIsNeverAnswered(SocketMode mode) throws Exception {
        open(mode);
        Server server = server(new Silent(), mode);
        Channel channel =
                fixture.channel(server, RpcFixture.PATIENT.withSocketMode(mode).withMaxRetry(0));
        try (ClientController controller = channel.controller()) {
            var call = EchoCalls.start(channel, controller, EchoCalls.request("x"));
            RpcFixture.eventually(() -> server.concurrency() == 1, () -> "no call");
            server.stop();
            assertThat(server.join(Duration.ofMillis(1))).isFalse();
            assertThat(server.connections()).hasSize(1);

            server.close(Duration.ofMillis(100));

            assertThat(server.connections()).isEmpty();
            assertThatThrownBy(() -> call.get(20, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(RpcException.class);
            assertThat(controller.errorCode()).isNotEqualTo(RpcError.ERPCTIMEDOUT.code());
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
