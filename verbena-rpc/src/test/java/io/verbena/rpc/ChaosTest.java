// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpc.test.EchoRequest;
import io.verbena.rpc.test.EchoResponse;
import io.verbena.testing.EchoLoad;
import io.verbena.testing.Footprint;
import io.verbena.testing.FreePort;
import io.verbena.testing.Seeds;
import io.verbena.transport.Connection;
import io.verbena.transport.SocketMode;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Calls under load while servers are killed, stopped, restarted, slowed and cut off: each call has
 * one outcome, in time. {@code -Dverbena.chaos.seconds=600} runs it for long, and {@code
 * -Dverbena.chaos.late.ms=20} checks deadlines strictly, for a machine that does nothing else.
 */
class ChaosTest {
    private static final int SERVERS = 3;
    private static final int CALLERS = 8;
    private static final int TIMEOUT_MS = 300;
    private static final long SILENCE_NS = TimeUnit.MILLISECONDS.toNanos(400);

    /** Buffers of threads that came later, and noise: what leaks grows with the time. */
    private static final long MOST_GROWTH = 16 << 20;

    private final long seconds = Long.getLong("verbena.chaos.seconds", 4);

    /** How late 99 of 100 calls may end after their deadline. */
    private final long lateMs = Long.getLong("verbena.chaos.late.ms", 5000);

    private RpcFixture fixture;
    private final Server[] servers = new Server[SERVERS];
    private final int[] ports = new int[SERVERS];
    private final AtomicInteger slow = new AtomicInteger(-1);
    private final AtomicLong silentUntilNs = new AtomicLong(System.nanoTime());
    private final EchoLoad load = new EchoLoad(TIMEOUT_MS);

    @AfterEach
    void close() {
        for (Server server : servers) {
            server.close();
        }
        fixture.close();
    }

    /** Echoes; one of them is slow at times. */
    private final class Sluggish extends EchoServices.Echo {
        private final int number;

        Sluggish(int number) {
            this.number = number;
        }

        @Override
        public void echo(
                ServerController controller, EchoRequest request, Consumer<EchoResponse> done) {
            if (slow.get() == number) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
            }
            for (long left = silenceNs(); left > 0; left = silenceNs()) {
                LockSupport.parkNanos(left);
            }
            super.echo(controller, request, done);
        }
    }

    /** {@return how long no server answers from now on, as if the network were cut} */
    private long silenceNs() {
        return silentUntilNs.get() - System.nanoTime();
    }

    private void start(int number, SocketMode mode) {
        servers[number] =
                new Server(fixture.serverSide.node)
                        .add(new Sluggish(number))
                        .start(ports[number], ServerOptions.DEFAULT.withSocketMode(mode));
        ports[number] = servers[number].address().getPort();
    }

    private void disturb(Random random, SocketMode mode) {
        int victim = random.nextInt(SERVERS);
        switch (random.nextInt(5)) {
            case 0 -> {
                TransportException killed =
                        new TransportException(TransportError.EINTERNAL, "killed by the test");
                for (Connection connection : servers[victim].connections()) {
                    connection.abort(killed);
                }
            }
            case 1 -> {
                servers[victim].close();
                start(victim, mode);
            }
            case 2 -> slow.set(victim);
            case 3 -> silentUntilNs.set(System.nanoTime() + SILENCE_NS);
            default -> slow.set(-1);
        }
    }

    private void disturbUntil(long endNs, Random random, SocketMode mode) {
        while (System.nanoTime() - endNs < 0) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
            disturb(random, mode);
        }
    }

    /** Lets deadlines pass that are about to: the test's own collection would delay them. */
    private void calmDown() {
        slow.set(-1);
        silentUntilNs.set(System.nanoTime());
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(2 * TIMEOUT_MS);
        for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    /** {@return what the heap holds without garbage} */
    private static long usedBytes() {
        Runtime runtime = Runtime.getRuntime();
        runtime.gc();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    private static void call(Channel channel, String text, EchoLoad.Ending ending) {
        ClientController controller = channel.controller();
        channel.start(
                EchoCalls.ECHO,
                EchoCalls.request(text),
                controller,
                answer -> {
                    if (controller.failed()) {
                        ending.onFailure(controller.errorCode());
                    } else {
                        ending.onAnswer(answer.getMessage());
                    }
                });
    }

    @ParameterizedTest
    @EnumSource(SocketMode.class)
    void shouldGiveEachCallOneOutcomeInTime(SocketMode mode, TestReporter reporter)
            throws Exception {
        fixture = new RpcFixture(mode);
        fixture.clientSide.node.flags().set(RpcFlag.HEALTH_CHECK_INTERVAL, 1L);
        List<String> addresses = new ArrayList<>();
        for (int i = 0; i < SERVERS; i++) {
            // one that nobody else gets while the server is away
            ports[i] = FreePort.choose();
            start(i, mode);
            addresses.add(RpcFixture.addressOf(servers[i]));
        }
        Channel channel =
                fixture.closing(
                        Channel.open(
                                fixture.clientSide.node,
                                "list://" + String.join(",", addresses),
                                "rr",
                                ChannelOptions.DEFAULT
                                        .withSocketMode(mode)
                                        .withTimeoutMs(TIMEOUT_MS)
                                        .withMaxRetry(2)
                                        .withBackupRequestMs(50)));
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        Random random = new Random(Seeds.next("ChaosTest " + mode));
        long usedBefore;
        Footprint footprint = Footprint.own();
        try (footprint) {
            load.start(CALLERS, endNs, (text, ending) -> call(channel, text, ending));
            disturbUntil(endNs - TimeUnit.SECONDS.toNanos(seconds) * 3 / 4, random, mode);
            calmDown();
            usedBefore = usedBytes();
            disturbUntil(endNs, random, mode);
            load.awaitCallers();
        }

        long usedAfter = usedBytes();

        reporter.publishEntry(
                mode.toString(),
                load + "; heap in bytes: first " + usedBefore + ", last " + usedAfter);
        reporter.publishEntry(mode + ", this process", footprint.toString());
        load.assertOneOutcomeEach();
        load.assertInTime(lateMs);
        assertThat(usedAfter - usedBefore).as("bytes the heap has grown").isLessThan(MOST_GROWTH);
    }
}
