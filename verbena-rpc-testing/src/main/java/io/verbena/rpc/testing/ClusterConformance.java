// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.ClientCall;
import io.verbena.rpc.ClusterOptions;
import io.verbena.rpc.RpcError;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.RpcFlag;
import io.verbena.rpc.Server;
import io.verbena.testing.Eventually;
import io.verbena.testing.FreePort;
import io.verbena.testing.SilentPort;
import io.verbena.transport.SocketMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A protocol through registries that list servers which are dead, slow, or come back. */
public abstract class ClusterConformance {
    /** A port where nobody listens. */
    protected static final int DEAD = 1;

    /** For a protocol. */
    protected ClusterConformance() {}

    /**
     * {@return servers and clients of the protocol}
     *
     * @param mode what carries it
     */
    protected abstract EchoCluster open(SocketMode mode);

    /**
     * {@return a registry that lists servers of this host}
     *
     * @param ports where they listen
     */
    protected static String list(int... ports) {
        StringBuilder url = new StringBuilder("list://");
        for (int port : ports) {
            url.append(url.charAt(url.length() - 1) == '/' ? "" : ",").append("127.0.0.1:");
            url.append(port);
        }
        return url.toString();
    }

    /** {@return where a server listens} */
    protected static int port(Server server) {
        return server.address().getPort();
    }

    /** {@return brpc's code; 0 if the call succeeded} */
    private static int call(EchoCluster cluster, Channel channel, ClientCall call) {
        try {
            cluster.echo(channel, call);
            return 0;
        } catch (RpcException e) {
            return e.code();
        }
    }

    private static int call(EchoCluster cluster, Channel channel) {
        try (ClientCall call = channel.newCall()) {
            return call(cluster, channel, call);
        }
    }

    /** {@return how many tries beyond the first some calls took, of which none failed} */
    private static int retries(EchoCluster cluster, Channel channel, int calls) {
        int retries = 0;
        for (int i = 0; i < calls; i++) {
            try (ClientCall call = channel.newCall()) {
                assertThat(call(cluster, channel, call)).isZero();
                retries += call.retriedCount();
            }
        }
        return retries;
    }

    @ParameterizedTest
    @EnumSource(SocketMode.class)
    void shouldTryADeadServerOnlyOnce(SocketMode mode) {
        try (EchoCluster cluster = open(mode)) {
            Server alive = cluster.server(0);
            Channel channel = cluster.cluster(list(DEAD, port(alive)), ChannelOptions.DEFAULT);

            assertThat(retries(cluster, channel, 200)).isEqualTo(1);
        }
    }

    /** Calls give up before connecting does; only connecting says that the server is gone. */
    @Test
    void shouldLeaveOutAServerThatDoesNotAnswerConnects() {
        try (EchoCluster cluster = open(SocketMode.TCP);
                SilentPort silent = SilentPort.open()) {
            Server alive = cluster.server(0);
            Channel channel = cluster.hastyCluster(list(silent.number(), port(alive)), 300, 800);
            int answered = 0;
            int failed = 0;
            while (answered < 50 && failed <= 30) {
                if (call(cluster, channel) == 0) {
                    answered++;
                } else {
                    failed++;
                }
            }

            // one for each 300 ms, and more on a busy machine; otherwise every other one
            assertThat(failed).as("failed, %s answered", answered).isBetween(1, 30);
        }
    }

    private static Channel eager(EchoCluster cluster, Server server) {
        return cluster.cluster(
                list(port(server)),
                ChannelOptions.DEFAULT.withCluster(
                        ClusterOptions.DEFAULT.withEagerConnections(true)));
    }

    private static void awaitOnlyConnection(Server server) {
        Eventually.become(
                () -> server.connections().size() == 1, () -> server.connections().toString());
    }

    @ParameterizedTest
    @EnumSource(SocketMode.class)
    void shouldConnectToServersAsSoonAsTheyAreListed(SocketMode mode) {
        try (EchoCluster cluster = open(mode)) {
            Server server = cluster.server(0);
            Channel channel = eager(cluster, server);
            awaitOnlyConnection(server);

            assertThat(retries(cluster, channel, 20)).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(SocketMode.class)
    void shouldConnectWhenAsked(SocketMode mode) throws Exception {
        try (EchoCluster cluster = open(mode)) {
            Server server = cluster.server(0);
            Channel channel = cluster.cluster(list(port(server)), ChannelOptions.DEFAULT);

            channel.connect().get(20, TimeUnit.SECONDS);
            channel.connect().get(20, TimeUnit.SECONDS);

            awaitOnlyConnection(server);
            assertThat(retries(cluster, channel, 20)).isZero();
            awaitOnlyConnection(server);
        }
    }

    @Test
    void shouldSayThatItCannotConnect() {
        try (EchoCluster cluster = open(SocketMode.TCP)) {
            Channel channel = cluster.cluster(list(DEAD), ChannelOptions.DEFAULT);

            assertThatThrownBy(() -> channel.connect().get(20, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOfSatisfying(
                            RpcException.class,
                            e -> assertThat(e.code()).isEqualTo(RpcError.ECONNREFUSED.code()));
        }
    }

    @Test
    void shouldGoOnWithoutAServerOfAFileThatIsKilled(@TempDir Path folder) throws IOException {
        try (EchoCluster cluster = open(SocketMode.TCP)) {
            Server first = cluster.server(0);
            Server second = cluster.server(0);
            Path servers = folder.resolve("servers");
            Files.writeString(
                    servers, "127.0.0.1:" + port(first) + "\n127.0.0.1:" + port(second) + "\n");
            Channel channel = cluster.cluster("file://" + servers, ChannelOptions.DEFAULT);
            assertThat(retries(cluster, channel, 20)).isZero();

            first.close(Duration.ofSeconds(10));

            assertThat(retries(cluster, channel, 200)).isLessThanOrEqualTo(2);
        }
    }

    @Test
    void shouldCallAServerAgainThatIsBack() {
        try (EchoCluster cluster = open(SocketMode.TCP)) {
            cluster.clientFlags().set(RpcFlag.HEALTH_CHECK_INTERVAL, 1L);
            int port = FreePort.choose();
            Channel channel = cluster.cluster(list(port), ChannelOptions.DEFAULT);
            assertThat(call(cluster, channel)).isEqualTo(RpcError.EHOSTDOWN.code());

            cluster.server(port);

            Eventually.become(() -> call(cluster, channel) == 0, () -> "not called again");
        }
    }

    @Test
    void shouldSayWhatItHasTriedWhenAllServersAreDead() {
        try (EchoCluster cluster = open(SocketMode.TCP)) {
            Channel channel = cluster.cluster(list(DEAD, DEAD + 1), ChannelOptions.DEFAULT);
            try (ClientCall call = channel.newCall()) {
                assertThat(call(cluster, channel, call)).isEqualTo(RpcError.EHOSTDOWN.code());

                assertThat(call.errorText()).contains("[E111]", "[R1][E111]", "[R2][E112]");
            }
        }
    }

    private static ChannelOptions with(ClusterOptions options) {
        return ChannelOptions.DEFAULT.withCluster(options);
    }

    /** {@return whether a call succeeds at this server} */
    private static boolean isAnsweredAt(EchoCluster cluster, Channel channel, Server server) {
        try (ClientCall call = channel.newCall()) {
            return call(cluster, channel, call) == 0 && call.remoteSide().getPort() == port(server);
        }
    }

    @Test
    void shouldLeaveOutAServerThatFailsUntilItWorksAgain() {
        try (EchoCluster cluster = open(SocketMode.TCP)) {
            Server bad = cluster.failingServer();
            Channel channel =
                    cluster.cluster(
                            list(port(cluster.server(0)), port(bad)),
                            with(ClusterOptions.DEFAULT.withCircuitBreaker(true)));
            int failed = 0;
            int inARow = 0;
            // each probe lets some calls through again, after twice the time
            for (int i = 0; i < 3000 && inARow < 20; i++) {
                boolean isGood = call(cluster, channel) == 0;
                failed += isGood ? 0 : 1;
                inARow = isGood ? inARow + 1 : 0;
            }

            assertThat(inARow).as("answered in a row, %s failed", failed).isEqualTo(20);
            // the long window opens at 5 % of 3000
            assertThat(failed).isGreaterThanOrEqualTo(140);
            cluster.repair();
            Eventually.become(
                    () -> isAnsweredAt(cluster, channel, bad), () -> "still left out, or failing");
        }
    }

    @Test
    void shouldRejectSomeCallsWhenServersComeBackOneByOne() {
        try (EchoCluster cluster = open(SocketMode.TCP)) {
            cluster.clientFlags().set(RpcFlag.HEALTH_CHECK_INTERVAL, 1L);
            int port = FreePort.choose();
            Channel channel =
                    cluster.cluster(
                            list(port, DEAD), with(ClusterOptions.DEFAULT.withRecovery(2, 600)));
            Eventually.become(
                    () -> call(cluster, channel) == RpcError.EHOSTDOWN.code(),
                    () -> "a server is available");
            cluster.server(port);
            Eventually.become(() -> call(cluster, channel) == 0, () -> "not revived");
            int[] codes = new int[200];
            Arrays.setAll(codes, i -> call(cluster, channel));

            assertThat(codes).containsOnly(0, RpcError.EREJECT.code());
            // one of two works; the chance to be this far off is below one in ten billion
            assertThat(Arrays.stream(codes).filter(code -> code == 0).count()).isBetween(54L, 146L);
        }
    }

    @Test
    void shouldWarmUpAServerThatIsNewToARunningCluster(@TempDir Path folder) throws IOException {
        try (EchoCluster cluster = open(SocketMode.TCP)) {
            Server old = cluster.server(0);
            Path servers = folder.resolve("servers");
            Files.writeString(servers, "127.0.0.1:" + port(old) + "\n");
            Channel channel =
                    cluster.cluster(
                            "file://" + servers,
                            with(ClusterOptions.DEFAULT.withSlowStartMs(600_000)));
            assertThat(call(cluster, channel)).isZero();
            Server fresh = cluster.server(0);
            Path written = folder.resolve("written");
            Files.writeString(
                    written, "127.0.0.1:" + port(old) + "\n127.0.0.1:" + port(fresh) + "\n");
            Files.move(written, servers, StandardCopyOption.REPLACE_EXISTING);
            Eventually.become(
                    () -> isAnsweredAt(cluster, channel, fresh), () -> "the new one is not used");
            int atFresh = 0;
            for (int i = 0; i < 1000; i++) {
                atFresh += isAnsweredAt(cluster, channel, fresh) ? 1 : 0;
            }

            // evenly, it would be 500
            assertThat(atFresh).isBetween(10, 200);
        }
    }

    @ParameterizedTest
    @EnumSource(SocketMode.class)
    void shouldAskAnotherServerWhenTheFirstTakesLong(SocketMode mode) throws Exception {
        try (EchoCluster cluster = open(mode)) {
            Server slow = cluster.slowServer();
            Server quick = cluster.server(0);
            Channel channel =
                    cluster.cluster(
                            list(port(slow), port(quick)),
                            ChannelOptions.DEFAULT.withBackupRequestMs(20));
            int backups = 0;
            for (int i = 0; i < 4; i++) {
                try (ClientCall call = channel.newCall()) {
                    assertThat(call(cluster, channel, call)).isZero();
                    backups += call.hasBackupRequest() ? 1 : 0;
                }
            }

            assertThat(backups).isPositive();
            cluster.awaitCanceled();
            cluster.release();
        }
    }
}
