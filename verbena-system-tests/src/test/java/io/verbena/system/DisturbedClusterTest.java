// SPDX-License-Identifier: Apache-2.0

package io.verbena.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.ClusterOptions;
import io.verbena.rpc.RpcNode;
import io.verbena.testing.Eventually;
import io.verbena.testing.Footprint;
import io.verbena.testing.Seeds;
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
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Servers that are killed, drained, stopped and slowed at random, and called at a steady rate
 * through each registry they are listed in: every call has one outcome, and each server gets calls
 * again. In the long form, the registries are killed and stopped, too, and at least nine tenths of
 * what the healthy servers could answer must be answered; the small form shares its machine with
 * the rest of the test run.
 *
 * <p>{@code scripts/soak --cluster} runs the long form. The figures are left in {@code target}.
 */
final class DisturbedClusterTest {
    private static final int SLOW_START_MS = 2000;
    private static final int SERVERS_OF_A_DISTURBER = 10;

    /** More JVMs at once only hinder each other. */
    private static final int STARTED_TOGETHER = 4;

    private static final long LONG_SECONDS = 60;
    private static final double LEAST_SHARE = 0.9;
    private static final int PATIENCE_MS = 20_000;

    /** After that many calls, a server has loaded what it needs. */
    private static final int WARM_CALLS = 20;

    private final int size = Integer.getInteger("verbena.cluster.servers", 4);
    private final int callsPerSecond = Integer.getInteger("verbena.cluster.rate", 200);
    private final int timeoutMs = Integer.getInteger("verbena.cluster.timeout.ms", 1000);
    private final long seconds =
            Long.getLong("verbena.cluster.seconds", Long.getLong("verbena.chaos.seconds", 6));
    private final long seed = Seeds.next("DisturbedClusterTest");
    private final boolean isLong = seconds >= LONG_SECONDS;

    @TempDir private Path folder;

    private final List<ClusterRegistry> registries = new ArrayList<>();
    private final List<ClusterServer> servers = new ArrayList<>();
    private final List<Channel> channels = new ArrayList<>();
    private final List<SteadyLoad> loads = new ArrayList<>();
    private final List<Disturber> disturbers = new ArrayList<>();
    private final List<RegistryDisturber> registryDisturbers = new ArrayList<>();
    private long beganNs;

    @AfterEach
    void close() {
        channels.forEach(Channel::close);
        servers.forEach(ClusterServer::close);
        registries.forEach(ClusterRegistry::close);
    }

    private void startRegistries() throws IOException, InterruptedException {
        for (String name :
                System.getProperty("verbena.cluster.registries", "LIST,FILE").split(",", -1)) {
            ClusterRegistry.Kind kind = ClusterRegistry.Kind.valueOf(name);
            ClusterRegistry registry =
                    new ClusterRegistry(kind, Files.createDirectory(folder.resolve(name)));
            registries.add(registry);
            registry.start();
        }
    }

    private void startServers() throws InterruptedException {
        List<String> urls =
                registries.stream()
                        .map(ClusterRegistry::serverUrl)
                        .flatMap(Optional::stream)
                        .toList();
        while (servers.size() < size) {
            int begin = servers.size();
            for (int i = begin; i < Math.min(size, begin + STARTED_TOGETHER); i++) {
                servers.add(ClusterServer.starting(urls));
            }
            for (ClusterServer server : servers.subList(begin, servers.size())) {
                server.awaitListening();
            }
        }
    }

    private ChannelOptions options() {
        return ChannelOptions.DEFAULT
                .withTimeoutMs(timeoutMs)
                .withBackupRequestMs(timeoutMs / 5)
                .withCluster(
                        ClusterOptions.DEFAULT
                                .withCircuitBreaker(true)
                                .withSlowStartMs(SLOW_START_MS));
    }

    @Test
    void shouldAnswerWhileServersComeAndGo() throws Exception {
        startRegistries();
        startServers();
        Properties flags = new Properties();
        flags.setProperty("health_check_interval", "1");
        try (RpcNode node = LocalNode.open(SocketMode.TCP, flags)) {
            for (ClusterRegistry registry : registries) {
                String url = registry.channelUrl(servers);
                warmUp(node, url);
                Channel channel = Channel.open(node, url, "p2c", options());
                channels.add(channel);
                loads.add(new SteadyLoad(channel, callsPerSecond));
            }
            loads.forEach(SteadyLoad::start);
            beganNs = System.nanoTime();
            Footprint footprint = Footprint.own();
            try (footprint) {
                disturb(beganNs + TimeUnit.SECONDS.toNanos(seconds));
                for (SteadyLoad load : loads) {
                    load.end();
                }
            } finally {
                Files.writeString(Path.of("target", "disturbed-cluster.txt"), report());
            }
            System.out.println("DisturbedClusterTest: " + footprint);
            assertThat(loads).as(report()).allMatch(load -> load.answered() > 0);
            if (isLong) {
                double least = healthyShare() * LEAST_SHARE;
                assertThat(loads).as(report()).allMatch(load -> load.goodput() >= least);
            }
        }
    }

    /** The first calls of so many new JVMs say nothing about disturbances. */
    private void warmUp(RpcNode node, String url) throws InterruptedException {
        ChannelOptions patient =
                options().withTimeoutMs(PATIENCE_MS).withConnectTimeoutMs(PATIENCE_MS);
        try (Channel channel = Channel.open(node, url, "rr", patient)) {
            SteadyLoad load = new SteadyLoad(channel, callsPerSecond);
            load.start();
            for (ClusterServer server : servers) {
                Eventually.become(() -> load.answeredBy(server.port()) >= WARM_CALLS, () -> load);
            }
            load.end();
        }
    }

    private void disturb(long endNs) throws Exception {
        List<Callable<Void>> tasks = new ArrayList<>();
        for (int from = 0; from < size; from += SERVERS_OF_A_DISTURBER) {
            Disturber disturber =
                    new Disturber(
                            servers.subList(from, Math.min(size, from + SERVERS_OF_A_DISTURBER)),
                            loads,
                            seed + from,
                            isLong ? 2000 : 1);
            disturbers.add(disturber);
            tasks.add(
                    () -> {
                        disturber.disturbUntil(endNs);
                        return null;
                    });
        }
        for (ClusterRegistry registry : registries) {
            if (registry.process().isPresent() && isLong) {
                RegistryDisturber disturber = new RegistryDisturber(registry.process().get(), seed);
                registryDisturbers.add(disturber);
                tasks.add(
                        () -> {
                            disturber.disturbUntil(endNs);
                            return null;
                        });
            }
        }
        try (ExecutorService threads =
                Executors.newThreadPerTaskExecutor(
                        Thread.ofPlatform().name("disturber-", 0).factory())) {
            for (Future<Void> each : threads.invokeAll(tasks)) {
                each.get();
            }
        }
    }

    /** {@return the part of all servers' time in which they could serve at full speed} */
    private double healthyShare() {
        long disturbedNs = disturbers.stream().mapToLong(Disturber::disturbedNs).sum();
        return 1 - (double) disturbedNs / (System.nanoTime() - beganNs) / size;
    }

    private String report() {
        Map<Disturber.Disturbance, Integer> counts = new EnumMap<>(Disturber.Disturbance.class);
        Histogram recoveriesMs = new Histogram(3);
        disturbers.forEach(disturber -> disturber.addTo(counts, recoveriesMs));
        StringBuilder report =
                new StringBuilder(
                        String.format(
                                Locale.ROOT,
                                "%d servers, %d s, %d calls/s, deadline %d ms: %s, registries %s;"
                                        + " healthy %.1f %% of the time; called again through"
                                        + " all registries after ms p50 %d, p99 %d, most %d%n",
                                size,
                                seconds,
                                callsPerSecond,
                                timeoutMs,
                                counts,
                                registryDisturbers,
                                healthyShare() * 100,
                                recoveriesMs.getValueAtPercentile(50),
                                recoveriesMs.getValueAtPercentile(99),
                                recoveriesMs.getMaxValue()));
        for (int i = 0; i < loads.size(); i++) {
            report.append(registries.get(i))
                    .append(": ")
                    .append(loads.get(i))
                    .append(System.lineSeparator());
        }
        return report.toString();
    }
}
