// SPDX-License-Identifier: Apache-2.0

package io.verbena.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.ClientCall;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.RpcNode;
import io.verbena.testing.EchoLoad;
import io.verbena.testing.Footprint;
import io.verbena.testing.Seeds;
import io.verbena.tools.LocalNode;
import io.verbena.tools.proto.EchoRequest;
import io.verbena.tools.proto.EchoServiceClient;
import io.verbena.transport.SocketMode;
import java.util.Locale;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A server behind a network that is cut under load: nothing arrives, and nobody is told. Each call
 * has one outcome, in time, and the server is found again. {@code -Dverbena.chaos.seconds=600}
 * makes it long.
 */
final class CutNetworkTest {
    private static final int CALLERS = 4;
    private static final int TIMEOUT_MS = 500;
    private static final long MOST_CUT_NS =
            TimeUnit.MILLISECONDS.toNanos(Long.getLong("verbena.chaos.cut.ms", 1000));
    private static final long REVIVAL_NS = TimeUnit.SECONDS.toNanos(30);

    private final long seconds = Long.getLong("verbena.chaos.seconds", 4);
    private final long lateMs = Long.getLong("verbena.chaos.late.ms", 5000);
    private final EchoLoad load = new EchoLoad(TIMEOUT_MS);
    private VirtualNetwork network;
    private int cuts;

    @BeforeEach
    void open() throws Exception {
        assumeTrue(VirtualNetwork.isPossible(), "needs root, and ip with network namespaces");
        network = new VirtualNetwork();
    }

    @AfterEach
    void close() throws Exception {
        if (network != null) {
            network.remove();
        }
    }

    @ParameterizedTest
    @EnumSource(SocketMode.class)
    void shouldGiveEachCallOneOutcomeInTime(SocketMode mode, TestReporter reporter)
            throws Exception {
        Properties flags = new Properties();
        flags.setProperty("health_check_interval", "1");
        ChannelOptions options =
                ChannelOptions.DEFAULT
                        .withSocketMode(mode)
                        .withTimeoutMs(TIMEOUT_MS)
                        .withMaxRetry(2);
        try (RunningProgram server = start(mode);
                RpcNode node = LocalNode.open(mode, flags)) {
            String address = network.farAddress() + ":" + server.awaitListeningPort();
            try (Channel channel = Channel.open(node, address, options)) {
                awaitAnswer(channel);
                long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
                Footprint own = Footprint.own();
                Footprint far = Footprint.of(server.pid());
                try (own;
                        far) {
                    load.start(CALLERS, endNs, (text, ending) -> call(channel, text, ending));
                    cutUntil(endNs);
                    load.awaitCallers();
                }
                reporter.publishEntry(mode + ", this process", own.toString());
                reporter.publishEntry(mode + ", the server", far.toString());
                awaitAnswer(channel);
            }
        }

        reporter.publishEntry(mode.toString(), cuts + " cuts; " + load);
        load.assertOneOutcomeEach();
        if (mode == SocketMode.TCP) {
            // what the software device moves does not depend on the network
            load.assertInTime(lateMs);
        }
    }

    private RunningProgram start(SocketMode mode) {
        return RunningProgram.startWith(
                network.farPrefix(),
                "echo",
                "server",
                "--port=0",
                "--socket-mode=" + mode.name().toLowerCase(Locale.ROOT));
    }

    private void cutUntil(long endNs) throws Exception {
        Random random = new Random(Seeds.next("CutNetworkTest"));
        while (System.nanoTime() - endNs < 0 || cuts == 0) {
            pause(random.nextLong(MOST_CUT_NS));
            network.cut();
            cuts++;
            // the first one is long, so that deadlines are reached
            pause(cuts == 1 ? MOST_CUT_NS : random.nextLong(MOST_CUT_NS));
            network.mend();
        }
    }

    private static void pause(long ns) {
        long end = System.nanoTime() + ns;
        while (System.nanoTime() - end < 0) {
            LockSupport.parkNanos(end - System.nanoTime());
        }
    }

    private static void call(Channel channel, String text, EchoLoad.Ending ending) {
        ClientCall call = channel.newCall();
        new EchoServiceClient(channel)
                .echoAsync(
                        request(text),
                        call,
                        answer -> {
                            if (call.failed()) {
                                ending.onFailure(call.errorCode());
                            } else {
                                ending.onAnswer(answer.getMessage());
                            }
                        });
    }

    private static EchoRequest request(String text) {
        return EchoRequest.newBuilder().setMessage(text).build();
    }

    /** The server answers, within the time that its clients need to find it again. */
    private static void awaitAnswer(Channel channel) {
        long end = System.nanoTime() + REVIVAL_NS;
        String failure = "not called";
        while (!failure.isEmpty()) {
            assertThat(System.nanoTime() - end).as(failure).isNegative();
            try {
                var _ = new EchoServiceClient(channel).echo(request("there?"));
                failure = "";
            } catch (RpcException e) {
                failure = e.getMessage();
                pause(TimeUnit.MILLISECONDS.toNanos(50));
            }
        }
    }
}
