// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Message;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ClientCall;
import io.verbena.rpc.RpcMethod;
import io.verbena.rpc.Server;
import io.verbena.rpc.spi.ClientProtocol;
import io.verbena.rpc.spi.ClientRequest;
import io.verbena.rpc.spi.ClientStream;
import io.verbena.rpc.spi.StreamEvents;
import io.verbena.testing.Eventually;
import io.verbena.transport.SocketMode;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A server leaves the list of a channel: calls on its connections go on, then they are closed. */
public abstract class LeavingServerConformance {
    private static final int CHANGES = 50;
    private static final int CALLERS = 4;
    private static final int CALLS = 300;

    @TempDir private Path folder;

    /** For a protocol. */
    protected LeavingServerConformance() {}

    /**
     * {@return servers and clients of the protocol}
     *
     * @param mode what carries it
     */
    protected abstract LeavingEcho open(SocketMode mode);

    /**
     * Replaces the list of servers in one step: a reader never sees half of it.
     *
     * @param servers those that are on it from now on
     */
    protected final void list(Server... servers) {
        try {
            Path written = folder.resolve("written");
            Files.writeString(
                    written,
                    Arrays.stream(servers)
                            .map(server -> "127.0.0.1:" + server.address().getPort() + "\n")
                            .collect(Collectors.joining()));
            Files.move(written, folder.resolve("servers"), StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * {@return a channel to the servers of the list}
     *
     * @param echo the protocol
     */
    protected final Channel channel(LeavingEcho echo) {
        return echo.cluster("file://" + folder.resolve("servers"));
    }

    /**
     * {@return the port of the server that has answered}
     *
     * @param echo the protocol
     * @param channel where to
     */
    protected static int call(LeavingEcho echo, Channel channel) {
        try (ClientCall call = channel.newCall()) {
            call.setTimeoutMs(20_000);
            Message request = echo.request("x");
            channel.call(
                    RpcMethod.of(
                            echo.method(), request.getDefaultInstanceForType(), echo.response()),
                    request,
                    call);
            return call.remoteSide().getPort();
        }
    }

    private static CompletableFuture<? extends Message> hold(
            LeavingEcho echo, Channel channel, ClientCall call) throws InterruptedException {
        call.setTimeoutMs(30_000);
        return echo.hold(channel, call);
    }

    /**
     * Waits until a server is listed.
     *
     * @param echo the protocol
     * @param channel where the list is
     * @param server the one to wait for
     */
    protected static void callUntilAt(LeavingEcho echo, Channel channel, Server server) {
        Eventually.become(
                () -> call(echo, channel) == server.address().getPort(), () -> "another server");
    }

    /**
     * Waits until a server has no connections.
     *
     * @param server the server
     */
    protected static void awaitNoConnections(Server server) {
        Eventually.become(() -> server.connections().isEmpty(), server::connections);
    }

    @ParameterizedTest
    @EnumSource(SocketMode.class)
    void shouldFinishACallThenClose(SocketMode mode) throws Exception {
        try (LeavingEcho echo = open(mode)) {
            Server leaving = echo.server();
            list(leaving);
            Channel channel = channel(echo);
            try (ClientCall call = channel.newCall()) {
                CompletableFuture<? extends Message> held = hold(echo, channel, call);
                // nothing is on the connection of this one: when it is closed, both were told
                Server idle = echo.server();
                list(leaving, idle);
                callUntilAt(echo, channel, idle);
                Server staying = echo.server();

                list(staying);
                awaitNoConnections(idle);
                callUntilAt(echo, channel, staying);

                assertThat(held).isNotDone();
                assertThat(leaving.connections()).isNotEmpty();
                echo.release();
                assertThat(held.get(20, TimeUnit.SECONDS).toString()).contains("held");
            }
            awaitNoConnections(leaving);
        }
    }

    @Test
    void shouldEndWhatIsOnSuchAConnectionWithTheChannel() throws Exception {
        try (LeavingEcho echo = open(SocketMode.TCP)) {
            Server leaving = echo.server();
            list(leaving);
            Channel channel = channel(echo);
            ClientCall call = channel.newCall();
            CompletableFuture<? extends Message> held = hold(echo, channel, call);
            Server idle = echo.server();
            list(leaving, idle);
            callUntilAt(echo, channel, idle);
            list(echo.server());
            awaitNoConnections(idle);

            channel.close();

            assertThatThrownBy(() -> held.get(20, TimeUnit.SECONDS)).hasMessageContaining("ECLOSE");
            call.close();
        }
    }

    @Test
    void shouldKeepNoConnectionWhenServersComeAndGo() {
        try (LeavingEcho echo = open(SocketMode.TCP)) {
            List<Server> servers = List.of(echo.server(), echo.server(), echo.server());
            list(servers.getLast());
            Channel channel = channel(echo);
            for (int i = 0; i < CHANGES; i++) {
                Server used = servers.get(i % servers.size());
                list(used);

                callUntilAt(echo, channel, used);
            }

            Server last = servers.get((CHANGES - 1) % servers.size());
            servers.stream().filter(each -> each != last).forEach(each -> awaitNoConnections(each));
            Eventually.become(() -> last.connections().size() <= 1, last::connections);
            callUntilAt(echo, channel, last);
        }
    }

    /**
     * Whatever has chosen the server before it left is answered, by the connection or a new one.
     */
    @Test
    void shouldAnswerEveryCallWhileTheServerComesAndGoes() throws Exception {
        AtomicBoolean isListed = new AtomicBoolean(true);
        AtomicInteger running = new AtomicInteger(CALLERS);
        try (LeavingEcho echo = open(SocketMode.TCP);
                ClientProtocol client = echo.client(isListed::get);
                ExecutorService threads =
                        Executors.newThreadPerTaskExecutor(
                                Thread.ofVirtual().name("test-caller").factory())) {
            Server server = echo.server();
            List<Future<?>> callers = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                callers.add(
                        threads.submit(
                                () -> {
                                    try {
                                        callOften(echo, client, server.address());
                                    } finally {
                                        running.decrementAndGet();
                                    }
                                }));
            }
            while (running.get() > 0) {
                isListed.set(!isListed.get());
                if (!isListed.get()) {
                    client.onUnlisted(server.address());
                }
                Thread.yield();
            }
            for (Future<?> caller : callers) {
                caller.get();
            }

            isListed.set(false);
            client.onUnlisted(server.address());
            awaitNoConnections(server);
        }
    }

    @Test
    void shouldCloseWhatIsOpenedForACallThatComesAfterTheServerHasLeft() {
        try (LeavingEcho echo = open(SocketMode.TCP);
                ClientProtocol client = echo.client(() -> false)) {
            Server server = echo.server();

            callOften(echo, client, server.address());

            awaitNoConnections(server);
        }
    }

    private static void callOften(
            LeavingEcho echo, ClientProtocol client, InetSocketAddress server) {
        ClientRequest request =
                new ClientRequest(
                        server,
                        echo.method(),
                        Optional.of(echo.request("unlisted")),
                        20_000,
                        0,
                        Map.of());
        for (int i = 0; i < CALLS; i++) {
            CompletableFuture<String> outcome = new CompletableFuture<>();
            ClientStream stream =
                    client.start(
                            request,
                            new StreamEvents() {
                                @Override
                                public void onReadable() {}

                                @Override
                                public void onWritable() {}

                                @Override
                                public void onOver(int code, String text) {
                                    outcome.complete(text);
                                }
                            });
            assertThat(outcome.orTimeout(20, TimeUnit.SECONDS).join()).isEmpty();
            assertThat(stream.responses().poll(echo.response()).toString()).contains("unlisted");
            stream.cancel(0);
        }
    }
}
