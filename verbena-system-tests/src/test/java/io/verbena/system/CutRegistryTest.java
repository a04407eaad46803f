// SPDX-License-Identifier: Apache-2.0

package io.verbena.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.RpcNode;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.rpc.spi.ServerNode;
import io.verbena.testing.Eventually;
import io.verbena.tools.LocalNode;
import io.verbena.tools.proto.EchoResponse;
import io.verbena.tools.proto.EchoService;
import io.verbena.transport.SocketMode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/**
 * Real registries behind a network that is cut under load, for longer than their sessions and
 * leases last; servers and clients are on the other side. Nobody is told of a cut: connections stay
 * open, and nothing arrives. No call fails because of it, the last good list is kept, and the page
 * and the log say so. {@code -Dverbena.chaos.seconds=600} makes it long.
 */
// enough for the long form; what it waits for has limits
@Timeout(value = 20, unit = TimeUnit.MINUTES)
final class CutRegistryTest {
    private static final int SERVERS = 3;
    private static final int CALLS_PER_SECOND = 100;
    private static final int TIMEOUT_MS = 30_000;

    /** Sessions and leases are of 2 s; registries look for dead ones now and then. */
    private static final long LEAST_CUT_NS = TimeUnit.SECONDS.toNanos(5);

    private final long seconds = Long.getLong("verbena.chaos.seconds", 0);
    private final RpcNode node = LocalNode.open(SocketMode.TCP, new Properties());
    private final List<Server> servers = new ArrayList<>();
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private VirtualNetwork network;
    private RegistryProcess registry;
    private int cuts;

    @TempDir private Path folder;

    @BeforeEach
    void open() throws Exception {
        assumeTrue(VirtualNetwork.isPossible(), "needs root, and ip with network namespaces");
        network = new VirtualNetwork();
        log.list = new CopyOnWriteArrayList<>();
        log.start();
        health().setLevel(Level.INFO);
        health().addAppender(log);
    }

    private static Logger health() {
        return (Logger) LoggerFactory.getLogger("io.verbena.rpc.NamingHealth");
    }

    @AfterEach
    void close() throws Exception {
        health().detachAppender(log);
        health().setLevel(null);
        servers.forEach(Server::close);
        node.close();
        if (registry != null) {
            registry.close();
        }
        if (network != null) {
            network.remove();
        }
    }

    private Server announced() {
        InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        EchoService echo =
                (_, request) -> EchoResponse.newBuilder().setMessage(request.getMessage()).build();
        Server server = new Server(node).add(echo).start(anyPort, ServerOptions.DEFAULT);
        servers.add(server);
        server.announce(registry.url("echo"), "");
        return server;
    }

    @ParameterizedTest
    @EnumSource(RealRegistry.class)
    void shouldServeWhileTheRegistryIsCutOff(RealRegistry kind, TestReporter reporter)
            throws Exception {
        registry = kind.open(folder, network.far());
        registry.start();
        for (int i = 0; i < SERVERS; i++) {
            announced();
        }
        ChannelOptions options =
                ChannelOptions.DEFAULT.withSocketMode(SocketMode.TCP).withTimeoutMs(TIMEOUT_MS);
        try (Channel channel = Channel.open(node, registry.url("echo"), "rr", options)) {
            SteadyLoad load = new SteadyLoad(channel, CALLS_PER_SECOND);
            load.start();
            awaitCurrentList(load);
            long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
            do {
                cut(load);
            } while (System.nanoTime() - endNs < 0);
            load.end();
            reporter.publishEntry(kind.toString(), cuts + " cuts; " + load);
            assertThat(load.goodput()).as("%s", load).isEqualTo(1);
        }
    }

    /** Pulls the cable; meanwhile one server joins, and another leaves. */
    private void cut(SteadyLoad load) throws Exception {
        log.list.clear();
        long endNs = System.nanoTime() + LEAST_CUT_NS;
        network.cut();
        cuts++;
        awaitListed(false);
        awaitCalls(load, servers);
        announced();
        Server leaving = servers.removeFirst();
        leaving.drain(Duration.ZERO, Duration.ofSeconds(10));

        Eventually.become(() -> page().contains("last good list: "), this::page);
        awaitLogged("keeping the last good list of ");
        SteadyLoad.pauseMs(TimeUnit.NANOSECONDS.toMillis(endNs - System.nanoTime()));
        awaitCalls(load, servers.subList(0, SERVERS - 1));

        network.mend();
        awaitCurrentList(load);
        awaitLogged("the registry answers again");
    }

    /** All servers are registered, the channel knows, and all of them are called. */
    private void awaitCurrentList(SteadyLoad load) {
        awaitListed(true);
        List<ServerNode> nodes =
                servers.stream().map(server -> new ServerNode(server.address(), "")).toList();
        Eventually.become(
                () -> {
                    List<ServerNode> listed = registry.listed("echo");
                    return listed.size() == nodes.size() && listed.containsAll(nodes);
                },
                () -> registry.listed("echo") + " for " + nodes);
        Eventually.become(() -> !page().contains("last good list"), this::page);
        awaitCalls(load, servers);
    }

    private void awaitListed(boolean expected) {
        Eventually.become(
                () -> servers.stream().allMatch(server -> server.isListed() == expected),
                () -> servers.stream().map(Server::isListed).toList());
    }

    private static void awaitCalls(SteadyLoad load, List<Server> expected) {
        for (Server server : expected) {
            int port = server.address().getPort();
            long before = load.answeredBy(port);
            Eventually.become(() -> load.answeredBy(port) > before, () -> port + ": " + load);
        }
    }

    /** {@return what a server of this process shows about the clusters that it calls} */
    private String page() {
        URI page = URI.create("http://127.0.0.1:" + servers.getLast().address().getPort());
        try (InputStream in = page.resolve("/clusters").toURL().openStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void awaitLogged(String part) {
        Eventually.become(
                () -> log.list.stream().anyMatch(e -> e.getFormattedMessage().contains(part)),
                () -> log.list + " without " + part);
    }
}
