// SPDX-License-Identifier: Apache-2.0

package io.verbena.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.ClusterOptions;
import io.verbena.rpc.RpcNode;
import io.verbena.testing.Eventually;
import io.verbena.tools.LocalNode;
import io.verbena.transport.SocketMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A cluster behind a registry whose servers are killed, drained, stopped and slowed at random under
 * a steady load: every call has one outcome, and each server gets calls again. In the long form,
 * the registry is killed and stopped, too, and at least nine tenths of what the healthy servers
 * could answer must be answered; the small form shares its machine with the rest of the test run.
 *
 * <p>The long form, with a file left for each registry in {@code target}: {@code
 * -Dverbena.cluster.servers=30 -Dverbena.chaos.seconds=600
 * -Dverbena.cluster.registries=LIST,FILE,ZOOKEEPER,ETCD}.
 */
final class DisturbedClusterTest {
    private static final int TIMEOUT_MS = 1000;
    private static final int BACKUP_MS = 200;
    private static final int SLOW_START_MS = 2000;
    private static final int CALLS_PER_SECOND = 400;
    private static final int SERVERS_OF_A_DISTURBER = 10;

    /** More JVMs at once only hinder each other. */
    private static final int STARTED_TOGETHER = 4;

    private static final long LONG_SECONDS = 60;
    private static final double LEAST_SHARE = 0.9;

    private static final int PATIENCE_MS = 20_000;

    /** After that many calls, a server has loaded what it needs. */
    private static final int WARM_CALLS = 20;

    private final int size = Integer.getInteger("verbena.cluster.servers", 4);
    private final long seconds = Long.getLong("verbena.chaos.seconds", 6);
    private final long seed = Long.getLong("verbena.test.seed", 18);
    private final boolean isLong = seconds >= LONG_SECONDS;

    @TempDir private Path folder;

    private final List<ClusterServer> servers = new ArrayList<>();
    private final List<Disturber> disturbers = new ArrayList<>();
    private RegistryProcess process;
    private long beganNs;
    private RegistryDisturber registryDisturber;

    static Stream<ClusterRegistry> registries() {
        return Stream.of(System.getProperty("verbena.cluster.registries", "FILE").split(","))
                .map(ClusterRegistry::valueOf);
    }

    @AfterEach
    void endServers() {
        servers.forEach(ClusterServer::close);
        if (process != null) {
            process.close();
        }
    }

    private void startServers(String url) throws InterruptedException {
        while (servers.size() < size) {
            int begin = servers.size();
            for (int i = begin; i < Math.min(size, begin + STARTED_TOGETHER); i++) {
                servers.add(ClusterServer.starting(url, 0));
            }
            for (ClusterServer server : servers.subList(begin, servers.size())) {
                server.awaitListening();
            }
        }
    }

    private static ChannelOptions options() {
        return ChannelOptions.DEFAULT
                .withTimeoutMs(TIMEOUT_MS)
                .withBackupRequestMs(BACKUP_MS)
                .withCluster(
                        ClusterOptions.DEFAULT
                                .withCircuitBreaker(true)
                                .withSlowStartMs(SLOW_START_MS));
    }

    @ParameterizedTest
    @MethodSource("registries")
    void shouldAnswerWhileServersComeAndGo(ClusterRegistry registry) throws Exception {
        process = registry.process(folder);
        if (process != null) {
            process.start();
        }
        startServers(registry.serverUrl(folder, process));
        Properties flags = new Properties();
        flags.setProperty("health_check_interval", "1");
        String url = registry.channelUrl(folder, process, servers);
        try (RpcNode node = LocalNode.open(SocketMode.TCP, flags);
                Channel channel = Channel.open(node, url, "p2c", options())) {
            warmUp(node, url);
            SteadyLoad load = new SteadyLoad(channel, CALLS_PER_SECOND);
            load.start();
            beganNs = System.nanoTime();
            try {
                disturb(load, beganNs + TimeUnit.SECONDS.toNanos(seconds));
                load.end();
            } finally {
                keep(registry, report(load));
            }
            assertThat(load.answered()).as(report(load)).isPositive();
            if (isLong) {
                assertThat(load.goodput())
                        .as(report(load))
                        .isGreaterThan(healthyShare() * LEAST_SHARE);
            }
        }
    }

    /** For whoever ran the long form. */
    private static void keep(ClusterRegistry registry, String report) throws IOException {
        Files.writeString(
                Path.of(
                        "target",
                        "disturbed-cluster-" + registry.name().toLowerCase(Locale.ROOT) + ".txt"),
                registry + ": " + report + "\n");
    }

    /** The first calls of so many new JVMs say nothing about disturbances. */
    private void warmUp(RpcNode node, String url) throws InterruptedException {
        ChannelOptions patient =
                options().withTimeoutMs(PATIENCE_MS).withConnectTimeoutMs(PATIENCE_MS);
        try (Channel channel = Channel.open(node, url, "rr", patient)) {
            SteadyLoad load = new SteadyLoad(channel, CALLS_PER_SECOND / 4);
            load.start();
            for (ClusterServer server : servers) {
                Eventually.become(() -> load.answeredBy(server.port()) >= WARM_CALLS, () -> load);
            }
            load.end();
        }
    }

    private void disturb(SteadyLoad load, long endNs) throws Exception {
        for (int from = 0; from < size; from += SERVERS_OF_A_DISTURBER) {
            List<ClusterServer> some =
                    servers.subList(from, Math.min(size, from + SERVERS_OF_A_DISTURBER));
            disturbers.add(new Disturber(some, load, seed + from, isLong ? 2000 : 1));
        }
        try (ExecutorService threads =
                Executors.newThreadPerTaskExecutor(
                        Thread.ofPlatform().name("disturber-", 0).factory())) {
            List<Future<?>> all = new ArrayList<>();
            for (Disturber disturber : disturbers) {
                all.add(
                        threads.submit(
                                () -> {
                                    disturber.disturbUntil(endNs);
                                    return null;
                                }));
            }
            if (process != null && isLong) {
                registryDisturber = new RegistryDisturber(process, seed);
                all.add(
                        threads.submit(
                                () -> {
                                    registryDisturber.disturbUntil(endNs);
                                    return null;
                                }));
            }
            for (Future<?> each : all) {
                each.get();
            }
        }
    }

    /** {@return the part of all servers' time in which they could serve at full speed} */
    private double healthyShare() {
        long elapsedNs = System.nanoTime() - beganNs;
        long disturbedNs = disturbers.stream().mapToLong(Disturber::disturbedNs).sum();
        return 1 - (double) disturbedNs / elapsedNs / size;
    }

    private String report(SteadyLoad load) {
        Map<Disturber.Disturbance, Integer> counts = new EnumMap<>(Disturber.Disturbance.class);
        Histogram recoveriesMs = new Histogram(3);
        disturbers.forEach(disturber -> disturber.addTo(counts, recoveriesMs));
        return String.format(
                Locale.ROOT,
                "%d servers, %d s, %s%s; healthy %.1f %% of the time; %s; called again after ms"
                        + " p50 %d, p99 %d, most %d",
                size,
                seconds,
                counts,
                registryDisturber == null ? "" : ", registry " + registryDisturber,
                healthyShare() * 100,
                load,
                recoveriesMs.getValueAtPercentile(50),
                recoveriesMs.getValueAtPercentile(99),
                recoveriesMs.getMaxValue());
    }
}
