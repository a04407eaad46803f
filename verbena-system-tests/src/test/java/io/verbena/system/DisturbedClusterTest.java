// SPDX-License-Identifier: Apache-2.0

package io.verbena.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.ClientCall;
import io.verbena.rpc.ClusterOptions;
import io.verbena.rpc.RpcNode;
import io.verbena.testing.Eventually;
import io.verbena.testing.Signals;
import io.verbena.tools.LocalNode;
import io.verbena.tools.proto.EchoRequest;
import io.verbena.tools.proto.EchoServiceClient;
import io.verbena.transport.SocketMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.ConcurrentHistogram;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A cluster behind a registry whose servers are killed, drained, stopped and slowed at random under
 * a steady load: every call has one outcome, and each server gets calls again. The long form,
 * {@code -Dverbena.cluster.servers=30 -Dverbena.chaos.seconds=600}, also says how many calls were
 * answered; a single machine that starts so many JVMs is too busy to assert that in the small one.
 */
final class DisturbedClusterTest {
    private static final int TIMEOUT_MS = 1000;
    private static final int CALLS_PER_SECOND = 400;
    private static final long LONG_SECONDS = 60;
    private static final long REVIVAL_NS = TimeUnit.SECONDS.toNanos(40);
    private static final EchoRequest REQUEST =
            EchoRequest.newBuilder().setMessage("steady").build();

    private final int size = Integer.getInteger("verbena.cluster.servers", 4);
    private final long seconds = Long.getLong("verbena.chaos.seconds", 6);
    private final Random random = new Random(Long.getLong("verbena.test.seed", 18));

    @TempDir private Path folder;

    private final List<RunningProgram> servers = new ArrayList<>();
    private final List<Integer> ports = new ArrayList<>();
    private final AtomicLong started = new AtomicLong();
    private final AtomicLong ended = new AtomicLong();
    private final AtomicLong answered = new AtomicLong();
    private final Map<Integer, AtomicLong> failures = new ConcurrentHashMap<>();
    private final Map<Integer, AtomicLong> byPort = new ConcurrentHashMap<>();
    private final ConcurrentHistogram latenciesUs = new ConcurrentHistogram(60_000_000, 3);
    private final ConcurrentHistogram recoveriesMs = new ConcurrentHistogram(600_000, 3);
    private volatile boolean isOver;
    private int kills;
    private int drains;
    private int stops;
    private int slowdowns;

    @AfterEach
    void endServers() {
        servers.forEach(RunningProgram::close);
    }

    private String registry() {
        return "file://" + folder.resolve("servers");
    }

    private RunningProgram start(int port) {
        return RunningProgram.start("cluster-server", "--registry=" + registry(), "--port=" + port);
    }

    private void call(Channel channel) {
        ClientCall call = channel.newCall();
        long beganNs = System.nanoTime();
        started.incrementAndGet();
        new EchoServiceClient(channel)
                .echoAsync(
                        REQUEST,
                        call,
                        answer -> {
                            ended.incrementAndGet();
                            if (call.failed()) {
                                count(failures, call.errorCode());
                            } else {
                                answered.incrementAndGet();
                                count(byPort, call.remoteSide().getPort());
                                latenciesUs.recordValue(
                                        TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - beganNs));
                            }
                            call.close();
                        });
    }

    private static void count(Map<Integer, AtomicLong> counts, int key) {
        counts.computeIfAbsent(key, _ -> new AtomicLong()).incrementAndGet();
    }

    private long answeredBy(int port) {
        AtomicLong count = byPort.get(port);
        return count == null ? 0 : count.get();
    }

    /** Calls at a steady rate, however long the answers take. */
    private void callOn(Channel channel) {
        long intervalNs = TimeUnit.SECONDS.toNanos(1) / CALLS_PER_SECOND;
        for (long nextNs = System.nanoTime(); !isOver; nextNs += intervalNs) {
            pauseUntil(nextNs);
            call(channel);
        }
    }

    private static void pauseUntil(long whenNs) {
        for (long left = whenNs - System.nanoTime(); left > 0; left = whenNs - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private static void pauseMs(long millis) {
        pauseUntil(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis));
    }

    private void disturbUntil(long endNs) throws InterruptedException {
        for (int what = 0; System.nanoTime() - endNs < 0; what = random.nextInt(4)) {
            int victim = random.nextInt(size);
            switch (what) {
                case 0 -> {
                    kills++;
                    servers.get(victim).kill();
                    restart(victim);
                }
                case 1 -> {
                    drains++;
                    ProcessHandle.of(servers.get(victim).pid()).ifPresent(ProcessHandle::destroy);
                    servers.get(victim).awaitExit();
                    restart(victim);
                }
                case 2 -> {
                    stops++;
                    stopFor(victim, 300 + random.nextInt(1000));
                }
                default -> {
                    slowdowns++;
                    for (int i = 0; i < 20; i++) {
                        stopFor(victim, 20);
                        pauseMs(20);
                    }
                }
            }
        }
    }

    private void stopFor(int victim, long millis) throws InterruptedException {
        Signals.stop(servers.get(victim).pid());
        pauseMs(millis);
        Signals.resume(servers.get(victim).pid());
    }

    private void restart(int victim) throws InterruptedException {
        servers.get(victim).close();
        servers.set(victim, start(ports.get(victim)));
        servers.get(victim).awaitListeningPort();
        awaitCallsTo(ports.get(victim));
    }

    private void awaitCallsTo(int port) {
        long before = answeredBy(port);
        long beganNs = System.nanoTime();
        while (answeredBy(port) == before) {
            long tookNs = System.nanoTime() - beganNs;
            assertThat(tookNs).as("calls to %d, beside %s", port, failures).isLessThan(REVIVAL_NS);
            pauseMs(1);
        }
        recoveriesMs.recordValue(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNs));
    }

    @Test
    void shouldAnswerWhileServersComeAndGo() throws Exception {
        for (int i = 0; i < size; i++) {
            servers.add(start(0));
        }
        for (RunningProgram server : servers) {
            ports.add(server.awaitListeningPort());
        }
        Properties flags = new Properties();
        flags.setProperty("health_check_interval", "1");
        ChannelOptions options =
                ChannelOptions.DEFAULT
                        .withTimeoutMs(TIMEOUT_MS)
                        .withBackupRequestMs(200)
                        .withCluster(ClusterOptions.DEFAULT.withCircuitBreaker(true));
        try (RpcNode node = LocalNode.open(SocketMode.TCP, flags);
                Channel channel = Channel.open(node, registry(), "p2c", options)) {
            long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
            Thread caller =
                    Thread.ofPlatform().daemon().name("caller").start(() -> callOn(channel));
            disturbUntil(endNs);
            for (int port : ports) {
                awaitCallsTo(port);
            }
            isOver = true;
            caller.join();
            Eventually.become(() -> started.get() == ended.get(), () -> "calls without an outcome");
            // for whoever ran the long form
            Files.writeString(Path.of("target", "disturbed-cluster.txt"), report() + "\n");
        }
        assertThat(answered.get()).as("answered, beside %s", failures).isPositive();
        if (seconds >= LONG_SECONDS) {
            assertThat(answered.get()).as(report()).isGreaterThan(started.get() * 9 / 10);
        }
    }

    private String report() {
        return String.format(
                Locale.ROOT,
                "%d servers, %d s: %d kills, %d drains, %d stops, %d slowdowns; %d calls, %d"
                        + " answered, failures %s; latency us p50 %d, p99 %d, p99.9 %d; calls"
                        + " again after ms p50 %d, most %d",
                size,
                seconds,
                kills,
                drains,
                stops,
                slowdowns,
                started.get(),
                answered.get(),
                failures,
                latenciesUs.getValueAtPercentile(50),
                latenciesUs.getValueAtPercentile(99),
                latenciesUs.getValueAtPercentile(99.9),
                recoveriesMs.getValueAtPercentile(50),
                recoveriesMs.getMaxValue());
    }
}
