// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpc.spi.CallContext;
import io.verbena.rpc.spi.LoadBalancer;
import io.verbena.rpc.spi.ServerNode;
import io.verbena.rpc.test.EchoRequest;
import io.verbena.rpc.test.EchoResponse;
import io.verbena.transport.SocketMode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/** What a channel makes of lists, and what balancers are told. */
class BalancedServersTest {
    /** What a balancer was asked and told, in order. */
    private static final class Recorder implements LoadBalancer {
        final List<List<ServerNode>> lists = new CopyOnWriteArrayList<>();
        final List<String> asked = new CopyOnWriteArrayList<>();
        final List<Integer> codes = new CopyOnWriteArrayList<>();
        final List<Integer> places = new CopyOnWriteArrayList<>();

        @Override
        public Picker picker(List<ServerNode> servers) {
            lists.add(servers);
            return new Picker() {
                @Override
                public int select(CallContext call) {
                    asked.add(
                            call.method().getName()
                                    + " "
                                    + (call.hasRequestCode() ? call.requestCode() : "-")
                                    + " "
                                    + call.tries());
                    return firstAvailable(call);
                }

                @Override
                public void onFeedback(int server, long latencyNs, int errorCode) {
                    assertThat(latencyNs).isPositive();
                    places.add(server);
                    codes.add(errorCode);
                }
            };
        }
    }

    private static int firstAvailable(CallContext call) {
        for (int i = 0; i < call.size(); i++) {
            if (call.isAvailable(i)) {
                return i;
            }
        }
        return LoadBalancer.NONE;
    }

    private final RpcFixture fixture = new RpcFixture(SocketMode.TCP);
    private final Recorder recorder = new Recorder();

    @AfterEach
    void close() {
        fixture.close();
    }

    private BalancedServers servers(ScriptedNaming naming, ChannelOptions options) {
        return fixture.clientSide.node.balancedServers(
                "test://", naming.named(), () -> recorder, options);
    }

    private Channel channel(BalancedServers servers, ChannelOptions options) {
        return fixture.closing(
                new Channel(fixture.clientSide.node, new CallSettings(options, servers)));
    }

    private static ServerNode node(Server server) {
        return new ServerNode(server.address(), "");
    }

    private static ServerNode dead(String tag) {
        return new ServerNode(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1), tag);
    }

    @Test
    void shouldReportEachTryToItsServer() {
        Server alive = fixture.server(ServerOptions.DEFAULT);
        ScriptedNaming naming = new ScriptedNaming(List.of(dead(""), node(alive)));
        Channel channel = channel(servers(naming, RpcFixture.PATIENT), RpcFixture.PATIENT);
        ClientController controller = fixture.closing(channel.controller());
        controller.setRequestCode(42);

        assertThat(EchoCalls.echo(channel, controller, "x")).isEqualTo("x");

        assertThat(recorder.asked).containsExactly("Echo 42 0", "Echo 42 1");
        assertThat(recorder.places).containsExactly(0, 1);
        assertThat(recorder.codes).containsExactly(RpcError.ECONNREFUSED.code(), 0);
    }

    @Test
    void shouldReportTriesThatEndWithTheirCall() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        Server slow =
                fixture.closing(
                        new Server(fixture.serverSide.node)
                                .add(
                                        new EchoServices.Echo() {
                                            @Override
                                            public void echo(
                                                    ServerController controller,
                                                    EchoRequest request,
                                                    Consumer<EchoResponse> done) {
                                                awaitQuietly(release);
                                                super.echo(controller, request, done);
                                            }
                                        })
                                .start(RpcFixture.anyPort(), ServerOptions.DEFAULT));
        Server quick = fixture.server(ServerOptions.DEFAULT);
        ScriptedNaming naming = new ScriptedNaming(List.of(node(slow), node(quick)));
        ChannelOptions options = RpcFixture.PATIENT.withBackupRequestMs(20);
        Channel channel = channel(servers(naming, options), options);
        ClientController overtaken = fixture.closing(channel.controller());
        assertThat(EchoCalls.echo(channel, overtaken, "x")).isEqualTo("x");

        assertThat(recorder.places).containsExactly(0, 1);
        assertThat(recorder.codes).containsExactly(RpcError.EBACKUPREQUEST.code(), 0);
        recorder.codes.clear();

        naming.report(List.of(node(slow)));
        ClientController late = fixture.closing(channel.controller());
        late.setBackupRequestMs(-1);
        late.setTimeoutMs(30);
        EchoCalls.echo(channel, late, "x");
        release.countDown();

        assertThat(recorder.codes).containsExactly(RpcError.ERPCTIMEDOUT.code());
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void shouldKeepTheLastGoodListWhenTheRegistryListsNothing() {
        Server server = fixture.server(ServerOptions.DEFAULT);
        ScriptedNaming naming = new ScriptedNaming(List.of(node(server)));
        BalancedServers servers = servers(naming, RpcFixture.PATIENT);
        Channel channel = channel(servers, RpcFixture.PATIENT);

        naming.report(List.of());

        assertThat(servers.problem()).contains("lists no server");
        assertThat(EchoCalls.echo(channel, fixture.closing(channel.controller()), "x"))
                .isEqualTo("x");
        naming.report(List.of(node(server)));
        assertThat(servers.problem()).isEmpty();
        assertThat(recorder.lists).hasSize(1);
    }

    @Test
    void shouldUseAListWithoutMostServersOnlyAfterAWhile() {
        List<ServerNode> all = new ArrayList<>();
        for (int i = 0; i < SuddenLoss.LEAST_SERVERS; i++) {
            all.add(dead("n=" + i));
        }
        List<ServerNode> few = List.of(all.get(0), all.get(1));
        ScriptedNaming naming = new ScriptedNaming(all);
        BalancedServers servers =
                servers(
                        naming,
                        RpcFixture.PATIENT.withCluster(
                                ClusterOptions.DEFAULT.withHoldListSeconds(3)));

        naming.report(few);
        assertThat(servers.problem()).contains("lists only 2 servers");
        assertThat(servers.targets()).hasSize(all.size());
        naming.report(all);
        assertThat(servers.problem()).isEmpty();
        naming.report(few);

        RpcFixture.eventually(
                () -> servers.targets().size() == 2 && servers.problem().isEmpty(),
                servers::problem);
        assertThat(recorder.lists).containsExactly(all, few);
        servers.close();
    }

    @Test
    void shouldDropDuplicatesAndWhatTheFilterRefuses() {
        ServerNode light = new ServerNode(dead("zone=a").address(), "zone=a w=2");
        ServerNode heavy = new ServerNode(dead("zone=a").address(), "zone=a w=7");
        ScriptedNaming naming = new ScriptedNaming(List.of(light, heavy, dead("zone=b")));
        ChannelOptions options =
                RpcFixture.PATIENT.withCluster(
                        ClusterOptions.DEFAULT.withServerFilter(
                                server -> server.tagValue("zone").equals("a")));
        BalancedServers servers = servers(naming, options);

        assertThat(recorder.lists).containsExactly(List.of(light));
        naming.report(List.of(heavy));
        assertThat(recorder.lists.getLast()).containsExactly(heavy);
        servers.close();
    }

    @Test
    void shouldFinishCallsToServersThatAreNoLongerListed() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        Server leaving =
                fixture.closing(
                        new Server(fixture.serverSide.node)
                                .add(
                                        new EchoServices.Echo() {
                                            @Override
                                            public void echo(
                                                    ServerController controller,
                                                    EchoRequest request,
                                                    Consumer<EchoResponse> done) {
                                                entered.countDown();
                                                awaitQuietly(release);
                                                super.echo(controller, request, done);
                                            }
                                        })
                                .start(RpcFixture.anyPort(), ServerOptions.DEFAULT));
        Server staying = fixture.server(ServerOptions.DEFAULT);
        ScriptedNaming naming = new ScriptedNaming(List.of(node(leaving)));
        Channel channel = channel(servers(naming, RpcFixture.PATIENT), RpcFixture.PATIENT);
        ClientController held = fixture.closing(channel.controller());
        var answer = EchoCalls.start(channel, held, EchoCalls.request("held"));
        entered.await();

        naming.report(List.of(node(staying)));
        ClientController next = fixture.closing(channel.controller());
        assertThat(EchoCalls.echo(channel, next, "next")).isEqualTo("next");
        assertThat(next.remoteSide()).isEqualTo(staying.address());
        release.countDown();

        assertThat(answer.get(20, TimeUnit.SECONDS).getMessage()).isEqualTo("held");
        assertThat(held.retriedCount()).isZero();
    }

    /** How long that takes is reported, not asserted. */
    @Test
    void shouldApplyLongListsWhileCallsGoOn(TestReporter reporter) throws Exception {
        Server server = fixture.server(ServerOptions.DEFAULT);
        List<ServerNode> servers = new ArrayList<>(List.of(node(server)));
        ScriptedNaming naming = new ScriptedNaming(servers);
        ChannelOptions options =
                RpcFixture.PATIENT.withCluster(ClusterOptions.DEFAULT.withHoldListSeconds(0));
        BalancedServers balanced = servers(naming, options);
        Channel channel = channel(balanced, options);
        for (int i = 1; i < 10_000; i++) {
            InetAddress ip =
                    InetAddress.getByAddress(new byte[] {10, 0, (byte) (i >> 8), (byte) i});
            servers.add(new ServerNode(new InetSocketAddress(ip, 8000), "", 1 + i % 7));
        }
        AtomicBoolean isOver = new AtomicBoolean();
        AtomicInteger failed = new AtomicInteger();
        AtomicInteger calls = new AtomicInteger();
        Thread caller =
                Thread.ofPlatform()
                        .name("caller")
                        .start(
                                () -> {
                                    while (!isOver.get() || calls.get() < 100) {
                                        try (ClientController call = channel.controller()) {
                                            EchoCalls.echo(channel, call, "x");
                                            failed.addAndGet(call.failed() ? 1 : 0);
                                            calls.incrementAndGet();
                                        }
                                    }
                                });
        for (int round = 0; round < 5; round++) {
            long beganNs = System.nanoTime();
            naming.report(List.copyOf(servers));
            naming.report(List.of(node(server)));
            long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNs);
            reporter.publishEntry("10,000 servers in and out", tookMs + " ms");
        }
        isOver.set(true);
        caller.join();

        assertThat(failed.get()).isZero();
        assertThat(recorder.lists).hasSize(11);
        assertThat(balanced.status().members()).hasSize(1);
    }
}
