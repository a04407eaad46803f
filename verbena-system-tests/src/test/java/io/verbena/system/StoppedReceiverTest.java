// SPDX-License-Identifier: Apache-2.0

package io.verbena.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.RpcNode;
import io.verbena.testing.Footprint;
import io.verbena.testing.Signals;
import io.verbena.tools.LocalNode;
import io.verbena.tools.proto.EchoRequest;
import io.verbena.tools.proto.EchoServiceClient;
import io.verbena.transport.SocketMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A server that is stopped for a while, as by a debugger or a machine that swaps, and whose clients
 * keep on sending: once it runs again, it does as much as before. {@code
 * -Dverbena.chaos.stop.ms=10000} stops it for ten seconds.
 */
final class StoppedReceiverTest {
    private static final int CALLERS = 4;
    private static final int TIMEOUT_MS = 500;

    /** Long enough that the windows of a connection fill up. */
    private static final String TEXT = "x".repeat(32 << 10);

    private static final long WINDOW_MS = 500;
    private static final int WINDOWS = 60;
    private static final int WARM_WINDOWS = 6;

    /** Other work on the machine may slow down what is measured. */
    private static final double LEAST_SHARE = 0.5;

    private final long stopMs = Long.getLong("verbena.chaos.stop.ms", 1500);
    private final LongAdder answers = new LongAdder();
    private final AtomicBoolean isOver = new AtomicBoolean();

    private void call(Channel channel) {
        EchoRequest request = EchoRequest.newBuilder().setMessage(TEXT).build();
        while (!isOver.get()) {
            try {
                boolean isAnswered =
                        new EchoServiceClient(channel).echo(request).getMessage().equals(TEXT);
                answers.add(isAnswered ? 1 : 0);
            } catch (RpcException e) {
                // expected while the server is stopped
                pause(10);
            }
        }
    }

    private static void pause(long ms) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
        while (System.nanoTime() - end < 0) {
            LockSupport.parkNanos(end - System.nanoTime());
        }
    }

    /** {@return the answers of a window of time} */
    private long rate() {
        long before = answers.sum();
        pause(WINDOW_MS);
        return answers.sum() - before;
    }

    /** {@return the median of some windows, once calls are answered} */
    private long usualRate() {
        for (int i = 0; i < WINDOWS && rate() == 0; i++) {
            assertThat(i).as("windows without an answer").isLessThan(WINDOWS - 1);
        }
        List<Long> rates = new ArrayList<>();
        for (int i = 0; i < WARM_WINDOWS + 3; i++) {
            rates.add(rate());
        }
        // a cold server would set a mark that any other passes
        return rates.stream().skip(WARM_WINDOWS).sorted().toList().get(1);
    }

    @ParameterizedTest
    @EnumSource(SocketMode.class)
    void shouldDoAsMuchAsBeforeOnceTheServerRunsAgain(SocketMode mode, TestReporter reporter)
            throws Exception {
        Properties flags = new Properties();
        flags.setProperty("health_check_interval", "1");
        ChannelOptions options =
                ChannelOptions.DEFAULT
                        .withSocketMode(mode)
                        .withTimeoutMs(TIMEOUT_MS)
                        .withMaxRetry(0);
        List<Thread> callers = new ArrayList<>();
        try (RunningProgram server =
                        RunningProgram.start(
                                "echo",
                                "server",
                                "--port=0",
                                "--socket-mode=" + mode.name().toLowerCase(Locale.ROOT));
                RpcNode node = LocalNode.open(mode, flags);
                Channel channel =
                        Channel.open(node, "127.0.0.1:" + server.awaitListeningPort(), options)) {
            Footprint footprint = Footprint.of(server.pid());
            try (footprint) {
                for (int i = 0; i < CALLERS; i++) {
                    callers.add(Thread.ofPlatform().daemon().start(() -> call(channel)));
                }
                long before = usualRate();

                Signals.stop(server.pid());
                pause(stopMs);
                long meanwhile = answers.sum();
                Signals.resume(server.pid());

                long again = 0;
                int windows = 0;
                while (again < before * LEAST_SHARE && windows < WINDOWS) {
                    again = rate();
                    windows++;
                }
                reporter.publishEntry(
                        mode.toString(),
                        before + " answers in a window before, " + again + " in number " + windows);
                assertThat(again)
                        .as("answers in %d ms; %d before the stop", WINDOW_MS, before)
                        .isGreaterThanOrEqualTo((long) (before * LEAST_SHARE));
                assertThat(answers.sum()).isGreaterThan(meanwhile);
            } finally {
                isOver.set(true);
                for (Thread caller : callers) {
                    caller.join();
                }
            }
            reporter.publishEntry(mode + ", the server", footprint.toString());
        }
    }
}
