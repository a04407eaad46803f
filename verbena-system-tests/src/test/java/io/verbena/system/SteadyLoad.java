// SPDX-License-Identifier: Apache-2.0

package io.verbena.system;

import io.verbena.rpc.Channel;
import io.verbena.rpc.ClientCall;
import io.verbena.testing.Eventually;
import io.verbena.tools.proto.EchoRequest;
import io.verbena.tools.proto.EchoServiceClient;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.ConcurrentHistogram;

/** Calls a cluster at a steady rate, however long the answers take, and counts the outcomes. */
final class SteadyLoad {
    private static final EchoRequest REQUEST =
            EchoRequest.newBuilder().setMessage("steady").build();

    private final Channel channel;
    private final EchoServiceClient client;
    private final long intervalNs;
    private final AtomicLong started = new AtomicLong();
    private final AtomicLong ended = new AtomicLong();
    private final LongAdder answered = new LongAdder();
    private final LongAdder retried = new LongAdder();

    /** Failed calls, by their code and how often they were tried again. */
    private final Map<String, LongAdder> failures = new ConcurrentSkipListMap<>();

    private final Map<Integer, LongAdder> byPort = new ConcurrentHashMap<>();
    private final ConcurrentHistogram latenciesUs = new ConcurrentHistogram(60_000_000, 3);
    private final Thread caller = Thread.ofPlatform().daemon().name("caller").unstarted(this::run);
    private volatile boolean isOver;

    SteadyLoad(Channel channel, int callsPerSecond) {
        this.channel = channel;
        this.client = new EchoServiceClient(channel);
        this.intervalNs = TimeUnit.SECONDS.toNanos(1) / callsPerSecond;
    }

    void start() {
        caller.start();
    }

    private void run() {
        for (long nextNs = System.nanoTime(); !isOver; nextNs += intervalNs) {
            pauseUntil(nextNs);
            call();
        }
    }

    static void pauseMs(long millis) {
        pauseUntil(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis));
    }

    private static void pauseUntil(long whenNs) {
        for (long left = whenNs - System.nanoTime(); left > 0; left = whenNs - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private void call() {
        ClientCall call = channel.newCall();
        long beganNs = System.nanoTime();
        started.incrementAndGet();
        client.echoAsync(
                REQUEST,
                call,
                answer -> {
                    count(call, System.nanoTime() - beganNs);
                    call.close();
                    ended.incrementAndGet();
                });
    }

    private void count(ClientCall call, long tookNs) {
        retried.add(call.retriedCount());
        if (call.failed()) {
            increment(failures, call.errorCode() + " after " + call.retriedCount() + " retries");
        } else {
            answered.increment();
            increment(byPort, call.remoteSide().getPort());
            latenciesUs.recordValue(TimeUnit.NANOSECONDS.toMicros(tookNs));
        }
    }

    private static <K> void increment(Map<K, LongAdder> counts, K key) {
        counts.computeIfAbsent(key, _ -> new LongAdder()).increment();
    }

    long answeredBy(int port) {
        LongAdder count = byPort.get(port);
        return count == null ? 0 : count.sum();
    }

    /** Starts no more calls, and waits until each has its outcome. */
    void end() throws InterruptedException {
        isOver = true;
        caller.join();
        Eventually.become(() -> started.get() == ended.get(), () -> "no outcome: " + this);
    }

    long answered() {
        return answered.sum();
    }

    /** {@return the share of the calls that was answered in time} */
    double goodput() {
        return (double) answered.sum() / started.get();
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%,d calls, %,d without an outcome, %,d answered (%.2f %%), %,d retries, failures"
                        + " %s; latency ms p50 %.1f, p99 %.1f, p99.9 %.1f",
                started.get(),
                started.get() - ended.get(),
                answered.sum(),
                goodput() * 100,
                retried.sum(),
                failures,
                latenciesUs.getValueAtPercentile(50) / 1e3,
                latenciesUs.getValueAtPercentile(99) / 1e3,
                latenciesUs.getValueAtPercentile(99.9) / 1e3);
    }
}
