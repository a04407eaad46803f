// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpc.spi.CallContext;
import io.verbena.rpc.spi.LoadBalancer;
import io.verbena.rpc.spi.ServerNode;
import io.verbena.rpc.test.EchoRequest;
import io.verbena.rpc.test.EchoResponse;
import io.verbena.testing.Eventually;
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
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a channel makes of lists, and what balancers are told. */
class BalancedServersTest {
    /** Longer than a busy machine takes for what has to happen before. */
    private static final int HOLD_SECONDS = 3;

    /** What a balancer was asked and told, in order. */
    private static final class Recorder implements LoadBalancer {
        final List<List<ServerNode>> lists = new CopyOnWriteArrayList<>();
        final List<String> asked = new CopyOnWriteArrayList<>();
        final List<Integer> codes = new CopyOnWriteArrayList<>();
        final List<Integer> places = new CopyOnWriteArrayList<>();

        /** Throws for some lists. */
        Consumer<List<ServerNode>> fault = servers -> {};

        @Override
        public Picker picker(List<ServerNode> servers) {
            fault.accept(servers);
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

        // told on another thread: deadlines of other calls do not wait for a balancer
        Eventually.be(List.of(RpcError.ERPCTIMEDOUT.code()), () -> List.copyOf(recorder.codes));
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
                                ClusterOptions.DEFAULT.withHoldListSeconds(HOLD_SECONDS)));

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

    private static List<ServerNode> manyServers() {
        return IntStream.range(0, 30).mapToObj(i -> dead("n=" + i)).toList();
    }

    private static ChannelOptions holding() {
        return RpcFixture.PATIENT.withCluster(
                ClusterOptions.DEFAULT.withHoldListSeconds(HOLD_SECONDS));
    }

    /** Waits until a list that is doubted now would be used, and beyond. */
    private void passHoldTime() throws Exception {
        // the same thread would have used it before
        fixture.clientSide.node.chores().schedule(() -> {}, HOLD_SECONDS, TimeUnit.SECONDS).get();
    }

    enum Outage {
        FAILURE,
        EMPTY;

        void begin(ScriptedNaming naming) {
            if (this == EMPTY) {
                naming.report(List.of());
            } else {
                naming.fail(
                        () -> {
                            throw new IllegalStateException("away");
                        });
            }
        }

        String problem() {
            return this == EMPTY ? "lists no server" : "away";
        }
    }

    @ParameterizedTest
    @EnumSource(Outage.class)
    void shouldNotUseADoubtedListWhileTheRegistryIsAway(Outage outage) throws Exception {
        List<ServerNode> all = manyServers();
        List<ServerNode> few = all.subList(0, 3);
        ScriptedNaming naming = new ScriptedNaming(all);
        BalancedServers servers = servers(naming, holding());
        naming.report(few);
        outage.begin(naming);

        passHoldTime();

        assertThat(servers.targets()).hasSize(all.size());
        assertThat(servers.problem()).contains(outage.problem());
        // now that it is back, servers need time again to come back
        naming.report(few);
        assertThat(servers.targets()).hasSize(all.size());
        assertThat(servers.problem()).contains("lists only 3 servers");
        RpcFixture.eventually(
                () -> servers.targets().size() == 3 && servers.problem().isEmpty(),
                servers::problem);
        assertThat(recorder.lists).containsExactly(all, few);
        servers.close();
    }

    @Test
    void shouldNotSayThatTheRegistryIsThereBecauseAListIsUsedLate() {
        ServerNode first = dead("n=1");
        ServerNode second = dead("n=2");
        ScriptedNaming naming = new ScriptedNaming(List.of(first));
        BalancedServers servers = servers(naming, RpcFixture.PATIENT);
        AtomicInteger faults = new AtomicInteger(1);
        recorder.fault =
                list -> {
                    if (faults.getAndDecrement() > 0) {
                        throw new IllegalStateException("not now");
                    }
                };
        naming.report(List.of(first, second));

        Outage.FAILURE.begin(naming);
        RpcFixture.eventually(() -> servers.targets().size() == 2, servers::problem);

        assertThat(servers.problem()).contains("away");
        naming.report(List.of(first, second));
        assertThat(servers.problem()).isEmpty();
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

    @Test
    void shouldTryAListAgainThatCouldNotBeUsed() {
        ServerNode first = dead("n=1");
        ServerNode second = dead("n=2");
        ScriptedNaming naming = new ScriptedNaming(List.of(first));
        BalancedServers servers = servers(naming, RpcFixture.PATIENT);
        AtomicBoolean isBroken = new AtomicBoolean(true);
        CountDownLatch triedAgain = new CountDownLatch(2);
        recorder.fault =
                list -> {
                    triedAgain.countDown();
                    if (isBroken.get()) {
                        throw new IllegalStateException("not now");
                    }
                };

        // a registry says it once
        naming.report(List.of(first, second));
        assertThat(servers.problem()).contains("not now");
        assertThat(servers.targets()).hasSize(1);
        awaitQuietly(triedAgain);
        isBroken.set(false);

        RpcFixture.eventually(
                () -> servers.targets().size() == 2 && servers.problem().isEmpty(),
                servers::problem);
        servers.close();
    }

    @Test
    void shouldForgetAListThatCouldNotBeUsedWhenThereIsAnother() {
        ServerNode first = dead("n=1");
        ServerNode second = dead("n=2");
        ServerNode third = dead("n=3");
        ScriptedNaming naming = new ScriptedNaming(List.of(first));
        BalancedServers servers = servers(naming, RpcFixture.PATIENT);
        CountDownLatch triedAgain = new CountDownLatch(3);
        recorder.fault =
                list -> {
                    triedAgain.countDown();
                    if (list.contains(second)) {
                        throw new IllegalStateException("never");
                    }
                };
        naming.report(List.of(first, second));
        naming.report(List.of(first, third));
        naming.report(List.of(first, second));
        awaitQuietly(triedAgain);
        naming.report(List.of(first));

        assertThat(recorder.lists)
                .containsExactly(List.of(first), List.of(first, third), List.of(first));
        servers.close();
    }

    /** A server that nobody releases would keep its connections for ever. */
    @Test
    void shouldReleaseTheServersOfAListThatCouldNotBeUsed() {
        Server server = fixture.server(ServerOptions.DEFAULT);
        Faulty faulty = new Faulty();
        ChannelOptions options =
                RpcFixture.PATIENT
                        .withAuth(faulty)
                        .withCluster(ClusterOptions.DEFAULT.withEagerConnections(true));
        ScriptedNaming naming = new ScriptedNaming(List.of(dead("n=1")));
        BalancedServers servers = servers(naming, options);

        // it is tried again once this was looked at: chores have one thread
        CountDownLatch looked = new CountDownLatch(1);
        fixture.clientSide.node.chores().execute(() -> awaitQuietly(looked));
        // the first new server is found, the second is not
        faulty.hashes.set(2);
        naming.report(List.of(dead("n=1"), node(server), dead("n=2")));
        assertThat(servers.problem()).contains("no hash");
        assertThat(servers.targets()).hasSize(1);
        looked.countDown();
        RpcFixture.eventually(() -> servers.targets().size() == 3, servers::problem);
        servers.close();

        RpcFixture.eventually(
                () -> server.connections().isEmpty(), () -> server.connections().toString());
    }

    /** Part of what servers are known by; fails once when told to. */
    private static final class Faulty implements Authenticator {
        final AtomicInteger hashes = new AtomicInteger();

        @Override
        public byte[] generateCredential() {
            return new byte[0];
        }

        @Override
        public String verifyCredential(byte[] credential, InetSocketAddress client) {
            return "";
        }

        @Override
        public int hashCode() {
            if (hashes.decrementAndGet() == 0) {
                throw new IllegalStateException("no hash");
            }
            return 1;
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }
    }

    @Test
    void shouldKeepConnectionsOfAServerThatLeavesAndReturns() {
        Server flapping = fixture.server(ServerOptions.DEFAULT);
        Server staying = fixture.server(ServerOptions.DEFAULT);
        List<ServerNode> both = List.of(node(flapping), node(staying));
        ScriptedNaming naming = new ScriptedNaming(both);
        Channel channel = channel(servers(naming, RpcFixture.PATIENT), RpcFixture.PATIENT);
        InetSocketAddress local = localSide(channel, flapping);
        for (int i = 0; i < 20; i++) {
            naming.report(List.of(node(staying)));
            localSide(channel, staying);
            naming.report(both);

            assertThat(localSide(channel, flapping)).isEqualTo(local);
        }
        assertThat(flapping.connections()).hasSize(1);
    }

    private InetSocketAddress localSide(Channel channel, Server expected) {
        try (ClientController call = channel.controller()) {
            assertThat(EchoCalls.echo(channel, call, "x")).isEqualTo("x");
            assertThat(call.remoteSide()).isEqualTo(expected.address());
            return call.localSide();
        }
    }

    /**
     * How long that takes is reported, not asserted. All calls go to the only server of the zone;
     * the balancer prepares its choice among all of them.
     */
    @ParameterizedTest
    @ValueSource(strings = {"rr", "wrr", "p2c", "la", "c_murmurhash", "c_ketama"})
    void shouldApplyLongListsWhileCallsGoOn(String balancer, TestReporter reporter)
            throws Exception {
        Server server = fixture.server(ServerOptions.DEFAULT);
        List<ServerNode> only = List.of(new ServerNode(server.address(), "zone=a"));
        List<ServerNode> servers = new ArrayList<>(only);
        for (int i = 1; i < 10_000; i++) {
            InetAddress ip =
                    InetAddress.getByAddress(new byte[] {10, 0, (byte) (i >> 8), (byte) i});
            servers.add(new ServerNode(new InetSocketAddress(ip, 8000), "", 1 + i % 7));
        }
        List<ServerNode> all = List.copyOf(servers);
        ScriptedNaming naming = new ScriptedNaming(only);
        ChannelOptions options =
                RpcFixture.PATIENT.withCluster(
                        ClusterOptions.DEFAULT.withHoldListSeconds(0).withZone("a"));
        BalancedServers balanced =
                fixture.clientSide.node.balancedServers(
                        "test://", naming.named(), () -> new Plugins().balancer(balancer), options);
        Channel channel = channel(balanced, options);
        AtomicBoolean isOver = new AtomicBoolean();
        AtomicInteger failed = new AtomicInteger();
        AtomicInteger calls = new AtomicInteger();
        AtomicLong longestNs = new AtomicLong();
        Thread caller =
                Thread.ofPlatform()
                        .name("caller")
                        .start(
                                () -> {
                                    while (!isOver.get() || calls.get() < 100) {
                                        longestNs.accumulateAndGet(
                                                call(channel, failed), Math::max);
                                        calls.incrementAndGet();
                                    }
                                });
        for (int round = 0; round < 5; round++) {
            long inNs = applied(naming, all, balanced);
            long outNs = applied(naming, only, balanced);
            reporter.publishEntry(
                    balancer + ": 10,000 servers",
                    "in " + ms(inNs) + " ms, out " + ms(outNs) + " ms");
        }
        isOver.set(true);
        caller.join();
        reporter.publishEntry(
                balancer + ": longest of " + calls + " calls", ms(longestNs.get()) + " ms");

        assertThat(failed.get()).isZero();
        assertThat(balanced.status().members()).hasSize(1);
    }

    private static long applied(
            ScriptedNaming naming, List<ServerNode> list, BalancedServers balanced) {
        long beganNs = System.nanoTime();
        naming.report(list);
        long tookNs = System.nanoTime() - beganNs;
        assertThat(balanced.targets()).hasSameSizeAs(list);
        return tookNs;
    }

    private static long call(Channel channel, AtomicInteger failed) {
        try (ClientController call = channel.controller()) {
            call.setRequestCode(42);
            long beganNs = System.nanoTime();
            EchoCalls.echo(channel, call, "x");
            failed.addAndGet(call.failed() ? 1 : 0);
            return System.nanoTime() - beganNs;
        }
    }

    private static double ms(long ns) {
        return TimeUnit.NANOSECONDS.toMicros(ns) / 1000.0;
    }
}
