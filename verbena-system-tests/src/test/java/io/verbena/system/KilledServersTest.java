// SPDX-License-Identifier: Apache-2.0

package io.verbena.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.ClientCall;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.RpcNode;
import io.verbena.testing.EchoLoad;
import io.verbena.testing.Footprint;
import io.verbena.testing.FreePort;
import io.verbena.testing.Seeds;
import io.verbena.testing.Signals;
import io.verbena.tools.LocalNode;
import io.verbena.tools.proto.EchoRequest;
import io.verbena.tools.proto.EchoServiceClient;
import io.verbena.transport.SocketMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Echo servers in processes of their own that are killed, stopped for a while and started again
 * under load: each call has one outcome, in time, and each server is found again. {@code
 * -Dverbena.chaos.seconds=600} makes it long, and {@code -Dverbena.chaos.late.ms=20} checks
 * deadlines as strictly as an otherwise idle machine allows.
 */
final class KilledServersTest {
    private static final int SERVERS = 3;
    private static final int[] ALL = IntStream.range(0, SERVERS).toArray();
    private static final int CALLERS = 4;
    private static final int TIMEOUT_MS = 500;
    private static final long STOP_NS = TimeUnit.MILLISECONDS.toNanos(600);
    private static final long LONG_STOP_NS =
            TimeUnit.MILLISECONDS.toNanos(Long.getLong("verbena.chaos.stop.ms", 600));
    private static final long REVIVAL_NS = TimeUnit.SECONDS.toNanos(30);

    private final long seconds = Long.getLong("verbena.chaos.seconds", 6);

    /** How late the end of a call may come after its deadline, for 99 of 100. */
    private final long lateMs = Long.getLong("verbena.chaos.late.ms", 5000);

    private final List<RunningProgram> servers = new ArrayList<>();
    private final List<String> addresses = new ArrayList<>();
    private final EchoLoad load = new EchoLoad(TIMEOUT_MS);
    private int kills;
    private int stops;
    private int silences;

    @AfterEach
    void endServers() {
        servers.forEach(RunningProgram::close);
    }

    private static RunningProgram start(SocketMode mode, int port) {
        return RunningProgram.start(
                "echo",
                "server",
                "--port=" + port,
                "--socket-mode=" + mode.name().toLowerCase(Locale.ROOT));
    }

    private static RpcNode open(SocketMode mode) {
        Properties flags = new Properties();
        flags.setProperty("health_check_interval", "1");
        return LocalNode.open(mode, flags);
    }

    private void kill(int victim, SocketMode mode) throws InterruptedException {
        kills++;
        RunningProgram killed = servers.get(victim);
        killed.kill();
        killed.close();
        String address = addresses.get(victim);
        int port = Integer.parseInt(address.substring(address.indexOf(':') + 1));
        servers.set(victim, start(mode, port));
        servers.get(victim).awaitListeningPort();
    }

    /** Like a network partition: the connection stays, and nothing arrives. */
    private void stopFor(long ns, int... victims) throws InterruptedException {
        for (int victim : victims) {
            Signals.stop(servers.get(victim).pid());
        }
        long end = System.nanoTime() + ns;
        while (System.nanoTime() - end < 0) {
            LockSupport.parkNanos(end - System.nanoTime());
        }
        for (int victim : victims) {
            Signals.resume(servers.get(victim).pid());
        }
    }

    private static void call(Channel channel, String text, EchoLoad.Ending ending) {
        ClientCall call = channel.newCall();
        new EchoServiceClient(channel)
                .echoAsync(
                        EchoRequest.newBuilder().setMessage(text).build(),
                        call,
                        answer -> {
                            if (call.failed()) {
                                ending.onFailure(call.errorCode());
                            } else {
                                ending.onAnswer(answer.getMessage());
                            }
                        });
    }

    private void disturbUntil(long endNs, SocketMode mode) throws InterruptedException {
        Random random = new Random(Seeds.next("KilledServersTest"));
        // start with a phase in which nobody answers, so that deadlines are reached whatever comes
        // later
        for (int what = 0; System.nanoTime() - endNs < 0 || kills == 0; what = random.nextInt(5)) {
            switch (what) {
                case 0 -> {
                    silences++;
                    stopFor(STOP_NS, ALL);
                }
                case 1, 2 -> {
                    stops++;
                    stopFor(what == 1 ? STOP_NS : LONG_STOP_NS, random.nextInt(SERVERS));
                }
                default -> kill(random.nextInt(SERVERS), mode);
            }
        }
    }

    /** Every server answers, each on its own. */
    private void awaitAll(RpcNode node, SocketMode mode) {
        ChannelOptions options =
                ChannelOptions.DEFAULT.withSocketMode(mode).withTimeoutMs(5000).withMaxRetry(0);
        long end = System.nanoTime() + REVIVAL_NS;
        for (String address : addresses) {
            String failure = "not called";
            while (!failure.isEmpty()) {
                assertThat(System.nanoTime() - end).as("%s: %s", address, failure).isNegative();
                try (Channel channel = Channel.open(node, address, options)) {
                    EchoRequest request = EchoRequest.newBuilder().setMessage("there?").build();
                    var _ = new EchoServiceClient(channel).echo(request);
                    failure = "";
                } catch (RpcException e) {
                    failure = e.getMessage();
                    // a server found dead is tried again within a second
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(SocketMode.class)
    void shouldGiveEachCallOneOutcomeInTime(SocketMode mode, TestReporter reporter)
            throws Exception {
        for (int i = 0; i < SERVERS; i++) {
            // one that nobody else gets while the server is away
            servers.add(start(mode, FreePort.choose()));
        }
        for (RunningProgram server : servers) {
            addresses.add("127.0.0.1:" + server.awaitListeningPort());
        }
        ChannelOptions options =
                ChannelOptions.DEFAULT
                        .withSocketMode(mode)
                        .withTimeoutMs(TIMEOUT_MS)
                        // servers come back all the time: otherwise connecting to them would be
                        // added to the deadlines that are checked here
                        .withConnectingCounted(true)
                        .withMaxRetry(2)
                        .withBackupRequestMs(100);
        try (RpcNode node = open(mode);
                Channel channel =
                        Channel.open(
                                node, "list://" + String.join(",", addresses), "rr", options)) {
            awaitAll(node, mode);
            long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
            Footprint footprint = Footprint.own();
            try (footprint) {
                load.start(CALLERS, endNs, (text, ending) -> call(channel, text, ending));
                disturbUntil(endNs, mode);
                load.awaitCallers();
            }
            reporter.publishEntry(mode + ", this process", footprint.toString());
            awaitAll(node, mode);
        }

        reporter.publishEntry(
                mode.toString(),
                kills + " kills, " + stops + " stops, " + silences + " of all servers; " + load);
        load.assertOneOutcomeEach();
        load.assertInTime(lateMs);
    }
}
