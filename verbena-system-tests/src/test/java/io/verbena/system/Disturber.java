// SPDX-License-Identifier: Apache-2.0

package io.verbena.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** Kills, drains, stops and slows one of its servers after the other, at random. One thread. */
final class Disturber {
    /** What can happen to a server. */
    enum Disturbance {
        KILL,
        DRAIN,
        STOP,
        SLOWDOWN
    }

    private static final int SLOW_MS = 300;

    private final List<ClusterServer> servers;
    private final List<SteadyLoad> loads;
    private final Random random;
    private final int longestPauseMs;
    private final Map<Disturbance, Integer> counts = new EnumMap<>(Disturbance.class);
    private final Histogram recoveriesMs = new Histogram(3);
    private long disturbedNs;

    Disturber(List<ClusterServer> servers, List<SteadyLoad> loads, long seed, int longestPauseMs) {
        this.servers = servers;
        this.loads = loads;
        this.random = new Random(seed);
        this.longestPauseMs = longestPauseMs;
    }

    /** Returns when each of its servers is called again. */
    void disturbUntil(long endNs) throws InterruptedException {
        Disturbance[] kinds = Disturbance.values();
        for (int i = 0; System.nanoTime() - endNs < 0; i++) {
            // each kind at least once
            Disturbance what = kinds[i < kinds.length ? i : random.nextInt(kinds.length)];
            counts.merge(what, 1, Integer::sum);
            disturb(servers.get(random.nextInt(servers.size())), what);
            SteadyLoad.pauseMs(random.nextInt(longestPauseMs));
        }
        for (ClusterServer server : servers) {
            awaitCallsTo(server);
        }
    }

    private void disturb(ClusterServer victim, Disturbance what) throws InterruptedException {
        long beganNs = System.nanoTime();
        switch (what) {
            case KILL -> {
                victim.kill();
                victim.restart();
            }
            case DRAIN -> {
                victim.drain();
                victim.restart();
            }
            case STOP -> {
                victim.halt();
                SteadyLoad.pauseMs(300 + random.nextInt(3000));
                victim.goOn();
            }
            case SLOWDOWN -> {
                victim.slowDownTo(SLOW_MS);
                SteadyLoad.pauseMs(300 + random.nextInt(3000));
                victim.slowDownTo(0);
            }
        }
        long ableNs = System.nanoTime();
        disturbedNs += ableNs - beganNs;
        awaitCallsTo(victim);
        recoveriesMs.recordValue(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - ableNs));
    }

    private void awaitCallsTo(ClusterServer server) {
        loads.forEach(load -> awaitCallsTo(server, load));
    }

    private static void awaitCallsTo(ClusterServer server, SteadyLoad load) {
        long before = load.answeredBy(server.port());
        long beganNs = System.nanoTime();
        while (load.answeredBy(server.port()) == before) {
            assertThat(System.nanoTime() - beganNs)
                    .as("calls to %d, beside %s", server.port(), load)
                    .isLessThan(ClusterServer.PATIENCE.toNanos());
            SteadyLoad.pauseMs(1);
        }
    }

    /** {@return for how long its servers together could not serve, or only slowly} */
    long disturbedNs() {
        return disturbedNs;
    }

    void addTo(Map<Disturbance, Integer> sums, Histogram recoveries) {
        counts.forEach((what, count) -> sums.merge(what, count, Integer::sum));
        recoveries.add(recoveriesMs);
    }
}
