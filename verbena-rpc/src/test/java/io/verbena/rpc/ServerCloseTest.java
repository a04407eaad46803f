// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.verbena.rpc.spi.NamingService;
import io.verbena.rpc.spi.ServerNode;
import io.verbena.rpc.test.EchoRequest;
import io.verbena.rpc.test.EchoResponse;
import io.verbena.transport.SocketMode;
import io.verbena.transport.TransportFlag;
import io.verbena.transport.TransportFlags;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Closing a server ends, whatever foreign code does. */
class ServerCloseTest {
    private static final TransportFlags FLAGS =
            RpcFixture.FLAGS
                    .with(TransportFlag.SOCKET_CLOSE_TIMEOUT_MS, 300)
                    .with(TransportFlag.EVENT_DISPATCHER_NUM, 1);

    private final CountDownLatch entered = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);
    private RpcFixture fixture;

    @AfterEach
    void close() {
        released.countDown();
        fixture.close();
    }

    private void hang() {
        entered.countDown();
        boolean isInterrupted = false;
        while (true) {
            try {
                released.await();
                break;
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void within(Duration limit, Runnable closing) throws Exception {
        CompletableFuture<Void> closed = new CompletableFuture<>();
        Thread closer =
                Thread.ofPlatform()
                        .daemon()
                        .name("closer")
                        .start(
                                () -> {
                                    closing.run();
                                    closed.complete(null);
                                });
        try {
            closed.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            AssertionError hanging = new AssertionError("still closing", e);
            hanging.setStackTrace(closer.getStackTrace());
            throw hanging;
        }
    }

    @ParameterizedTest
    @EnumSource(SocketMode.class)
    void shouldCloseThoughAServiceHoldsTheThreadOfItsConnection(SocketMode mode) throws Exception {
        fixture = new RpcFixture(mode, FLAGS);
        Server server =
                new Server(fixture.serverSide.node)
                        .add(
                                new EchoServices.Echo() {
                                    @Override
                                    @NonBlocking
                                    public void echoInline(
                                            ServerController controller,
                                            EchoRequest request,
                                            Consumer<EchoResponse> done) {
                                        hang();
                                        super.echoInline(controller, request, done);
                                    }
                                })
                        .start(RpcFixture.anyPort(), ServerOptions.DEFAULT.withSocketMode(mode));
        Channel channel =
                fixture.channel(server, RpcFixture.PATIENT.withSocketMode(mode).withMaxRetry(0));
        channel.start(
                EchoCalls.INLINE,
                EchoCalls.request("x"),
                fixture.closing(channel.controller()),
                _ -> {});
        assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();

        within(Duration.ofSeconds(15), () -> server.close(Duration.ofMillis(100)));
        within(Duration.ofSeconds(15), () -> server.close(Duration.ofMillis(100)));
    }

    /** A registry that lists a server and never confirms that it has left. */
    private final class Stuck implements NamingService {
        @Override
        public String scheme() {
            return "stuck";
        }

        @Override
        public Watch watch(String name, Listener listener) {
            return () -> {};
        }

        @Override
        public Registration register(String name, ServerNode server) {
            return new Registration() {
                @Override
                public boolean isListed() {
                    return true;
                }

                @Override
                public void close() {
                    hang();
                }
            };
        }
    }

    private Server announced() {
        fixture = new RpcFixture(SocketMode.TCP, FLAGS);
        Server server =
                new Server(fixture.serverSide.node)
                        .add(new EchoServices.Echo())
                        .start(RpcFixture.anyPort(), ServerOptions.DEFAULT);
        server.announce(
                new NamedServers(new Stuck(), "echo"), new ServerNode(server.address(), ""));
        return server;
    }

    @Test
    void shouldCloseThoughARegistryNeverConfirms() throws Exception {
        Server server = announced();
        Channel channel = fixture.channel(server, RpcFixture.PATIENT);
        try (ClientController controller = channel.controller()) {
            assertThat(EchoCalls.echo(channel, controller, "x")).isEqualTo("x");
        }

        within(Duration.ofSeconds(15), () -> server.close(Duration.ofMillis(100)));

        // a close waits a limited time for them
        RpcFixture.eventually(
                () -> server.connections().isEmpty(), () -> "" + server.connections());
    }

    @Test
    void shouldStopThoughARegistryNeverConfirms() throws Exception {
        Server server = announced();
        Channel channel = fixture.channel(server, RpcFixture.PATIENT.withMaxRetry(0));

        within(Duration.ofSeconds(15), server::stop);

        RpcException refused =
                catchThrowableOfType(
                        RpcException.class,
                        () -> channel.call(EchoCalls.ECHO, EchoCalls.request("x")));
        assertThat(refused).as("a call after the stop").isNotNull();
        assertThat(server.join(Duration.ofSeconds(15))).isTrue();
    }

    @Test
    void shouldDrainThoughARegistryNeverConfirms() throws Exception {
        Server server = announced();

        within(
                Duration.ofSeconds(15),
                () -> {
                    try {
                        server.drain(Duration.ofMillis(10), Duration.ofMillis(100));
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                });
    }
}
