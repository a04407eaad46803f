// SPDX-License-Identifier: Apache-2.0

package io.verbena.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpc.Call;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.ClientCall;
import io.verbena.rpc.RpcError;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.RpcNode;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.rpc.spi.ClusterStatus;
import io.verbena.rpc.spi.ServerNode;
import io.verbena.testing.EchoLoad;
import io.verbena.testing.Eventually;
import io.verbena.testing.Signals;
import io.verbena.tools.LocalNode;
import io.verbena.tools.proto.EchoRequest;
import io.verbena.tools.proto.EchoResponse;
import io.verbena.tools.proto.EchoService;
import io.verbena.tools.proto.EchoServiceClient;
import io.verbena.transport.SocketMode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Real registries that are killed, stopped and started under load: no call fails because of it, the
 * last good list is kept, and servers are announced again.
 */
final class RegistryOutageTest {
    private static final int CALLERS = 2;
    private static final int TIMEOUT_MS = 10_000;
    private static final ChannelOptions OPTIONS =
            ChannelOptions.DEFAULT.withSocketMode(SocketMode.TCP).withTimeoutMs(TIMEOUT_MS);

    /** A server that knows whether it is called. */
    private final class Member implements EchoService {
        private final AtomicInteger calls = new AtomicInteger();
        private final Server server;

        Member() {
            InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            server = new Server(node).add(this).start(anyPort, ServerOptions.DEFAULT);
            members.add(this);
        }

        @Override
        public EchoResponse echo(Call call, EchoRequest request) {
            calls.incrementAndGet();
            return EchoResponse.newBuilder().setMessage(request.getMessage()).build();
        }
    }

    private final RpcNode node = LocalNode.open(SocketMode.TCP, new Properties());
    private final List<Member> members = new ArrayList<>();
    private final EchoLoad load = new EchoLoad(TIMEOUT_MS);
    private RegistryProcess registry;

    @TempDir private Path folder;

    @AfterEach
    void close() {
        members.forEach(member -> member.server.close());
        node.close();
        if (registry != null) {
            registry.close();
        }
    }

    private Member announced() {
        return announced(registry.url("echo"));
    }

    private Member announced(String url) {
        Member member = new Member();
        member.server.announce(url, "");
        return member;
    }

    private void awaitListed() {
        Eventually.become(
                () -> members.stream().allMatch(member -> member.server.isListed()),
                () -> members.stream().map(member -> member.server.isListed()).toList());
    }

    /** Calls until each of them was called. */
    private void awaitCalls(Channel channel, Member... expected) {
        int[] before = Stream.of(expected).mapToInt(member -> member.calls.get()).toArray();
        Eventually.become(
                () -> {
                    assertThat(echo(channel)).isEqualTo("there?");
                    for (int i = 0; i < before.length; i++) {
                        if (expected[i].calls.get() == before[i]) {
                            return false;
                        }
                    }
                    return true;
                },
                () -> Stream.of(expected).map(member -> member.calls).toList());
    }

    /**
     * {@return the members that the channel knows} Those may not be all: ZooKeeper drops the nodes
     * of the session before its restart some time after it, and may be stopped before they are
     * created again.
     */
    private Member[] lastGoodList() {
        List<ServerNode> known =
                node.clusters().getFirst().members().stream()
                        .map(ClusterStatus.Member::server)
                        .toList();
        assertThat(known).isNotEmpty();
        return members.stream()
                .filter(member -> known.contains(nodeOf(member)))
                .toArray(Member[]::new);
    }

    private static String echo(Channel channel) {
        return new EchoServiceClient(channel)
                .echo(EchoRequest.newBuilder().setMessage("there?").build())
                .getMessage();
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

    @ParameterizedTest
    @EnumSource(RealRegistry.class)
    void shouldServeWhileTheRegistryIsAway(RealRegistry kind, TestReporter reporter)
            throws Exception {
        registry = kind.open(folder);
        registry.start();
        Member first = announced();
        Member second = announced();
        awaitListed();
        try (Channel channel = Channel.open(node, registry.url("echo"), "rr", OPTIONS)) {
            awaitCalls(channel, first, second);
            load.start(
                    CALLERS,
                    System.nanoTime() + TimeUnit.SECONDS.toNanos(8),
                    (text, ending) -> call(channel, text, ending));

            registry.kill();
            awaitCalls(channel, first, second);
            Member third = announced();
            assertThat(third.server.isListed()).isFalse();
            registry.start();
            awaitCalls(channel, first, second, third);
            awaitListed();

            Signals.stop(registry.pid());
            Eventually.become(() -> !first.server.isListed(), () -> "listed");
            awaitCalls(channel, lastGoodList());
            Signals.resume(registry.pid());
            awaitListed();
            awaitCalls(channel, first, second, third);

            load.awaitCallers();
        }
        reporter.publishEntry(kind.toString(), load.toString());
        load.assertOneOutcomeEach();
        assertThat(load.failures()).as("%s", load).isZero();
    }

    @ParameterizedTest
    @EnumSource(RealRegistry.class)
    void shouldFindServersWhenTheRegistryComesUpLater(RealRegistry kind) throws Exception {
        registry = kind.open(folder);
        try (Channel channel = Channel.open(node, registry.url("echo"), "rr", OPTIONS)) {
            Member member = announced();
            assertThat(codeOf(channel)).isEqualTo(RpcError.ENODATA.code());

            registry.start();

            Eventually.be(0, () -> codeOf(channel));
            assertThat(member.calls.get()).isPositive();
        }
    }

    private static int codeOf(Channel channel) {
        try {
            assertThat(echo(channel)).isEqualTo("there?");
            return 0;
        } catch (RpcException e) {
            return e.code();
        }
    }

    @ParameterizedTest
    @EnumSource(RealRegistry.class)
    void shouldLeaveTheRegistryBeforeItStops(RealRegistry kind) throws Exception {
        registry = kind.open(folder);
        registry.start();
        // with the usual session, which a busy machine does not lose
        String url = registry.url("echo").replaceFirst("\\?.*", "");
        Member leaving = announced(url);
        Member staying = announced(url);
        awaitListed();
        assertThat(registry.listed("echo"))
                .containsExactlyInAnyOrder(nodeOf(leaving), nodeOf(staying));

        leaving.server.drain(Duration.ZERO, Duration.ofSeconds(10));

        assertThat(registry.listed("echo")).containsExactly(nodeOf(staying));
    }

    private static ServerNode nodeOf(Member member) {
        return new ServerNode(member.server.address(), "");
    }
}
