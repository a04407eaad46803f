// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.balance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.rpc.spi.LoadBalancer;
import io.verbena.rpc.spi.ServerNode;
import io.verbena.testing.AllocatedBytes;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How calls are distributed, and how little moves when a server goes. */
class BalancersTest {
    private static final int SERVERS = 20;
    private static final int CALLS = 200_000;

    private final Random random = new Random(20_251_116);

    private FakeContext context(int size) {
        return new FakeContext(size);
    }

    private static double share(int[] chosen, int server) {
        return (double) chosen[server] / Arrays.stream(chosen).sum();
    }

    @ParameterizedTest
    @ValueSource(strings = {"rr", "random", "wrr", "wr", "p2c", "la"})
    void shouldDistributeEvenlyAmongEqualServers(String name) {
        LoadBalancer.Picker picker =
                FakeContext.balancer(name).picker(FakeContext.servers(SERVERS));
        int[] chosen = context(SERVERS).choose(picker, CALLS);

        for (int i = 0; i < SERVERS; i++) {
            assertThat(share(chosen, i)).as("%s, server %d", name, i).isBetween(0.04, 0.06);
        }
    }

    /** A dead server's calls go to all others, not to its neighbour. */
    @ParameterizedTest
    @ValueSource(strings = {"rr", "random", "wrr", "wr", "p2c", "la"})
    void shouldSpreadTheCallsOfDeadServers(String name) {
        LoadBalancer.Picker picker =
                FakeContext.balancer(name).picker(FakeContext.servers(SERVERS));
        FakeContext context = context(SERVERS);
        while (context.dead.cardinality() < SERVERS / 2) {
            context.dead.set(random.nextInt(SERVERS));
        }
        int[] chosen = context.choose(picker, CALLS);

        for (int i = 0; i < SERVERS; i++) {
            if (context.dead.get(i)) {
                assertThat(chosen[i]).as("%s, dead server %d", name, i).isZero();
            } else {
                assertThat(share(chosen, i)).as("%s, server %d", name, i).isBetween(0.08, 0.12);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"wrr", "wr"})
    void shouldFollowTheWeights(String name) {
        int[] weights = {1, 2, 3, 14};
        LoadBalancer.Picker picker =
                FakeContext.balancer(name).picker(FakeContext.servers(4, weights));
        int[] chosen = context(4).choose(picker, CALLS);

        for (int i = 0; i < weights.length; i++) {
            assertThat(share(chosen, i))
                    .isBetween(weights[i] / 20.0 - 0.01, weights[i] / 20.0 + 0.01);
        }
    }

    /** Whoever is left gets the calls in proportion to the weights. */
    @ParameterizedTest
    @ValueSource(strings = {"wrr", "wr"})
    void shouldFollowTheWeightsOfThoseThatAreLeft(String name) {
        for (int round = 0; round < 30; round++) {
            int size = 2 + random.nextInt(8);
            int[] weights = new int[size];
            FakeContext context = context(size);
            long left = 0;
            for (int i = 0; i < size; i++) {
                // what is isolated is often what has had most of the calls
                boolean isDead = i > 0 && random.nextBoolean();
                context.dead.set(i, isDead);
                weights[i] = 1 + random.nextInt(isDead ? 1000 : 10);
                left += isDead ? 0 : weights[i];
            }
            LoadBalancer.Picker picker =
                    FakeContext.balancer(name).picker(FakeContext.servers(size, weights));
            int[] chosen = context.choose(picker, 20_000);

            for (int i = 0; i < size; i++) {
                double expected = context.dead.get(i) ? 0 : (double) weights[i] / left;
                assertThat(share(chosen, i))
                        .as("%s, server %d, weights %s, dead %s", name, i, weights, context.dead)
                        .isBetween(expected - 0.02, expected + 0.02);
            }
        }
    }

    /** As many calls are under way as fit; each server takes the same time for a call. */
    @Test
    void shouldFollowTheWeightsWithTheCallsUnderWay() {
        LoadBalancer.Picker picker =
                FakeContext.balancer("p2c").picker(FakeContext.servers(2, 1, 3));
        FakeContext context = context(2);
        int[] chosen = new int[2];
        Queue<Integer> underWay = new ArrayDeque<>();
        for (int i = 0; i < 20_000; i++) {
            int server = picker.select(context);
            chosen[server]++;
            underWay.add(server);
            if (underWay.size() > 40) {
                picker.onFeedback(underWay.remove(), 1_000_000, 0);
            }
        }

        assertThat(share(chosen, 1)).isBetween(0.70, 0.80);
    }

    @Test
    void shouldVisitServersExactlyByWeightInARound() {
        int[] weights = {5, 1, 7, 3};
        LoadBalancer.Picker picker =
                FakeContext.balancer("wrr").picker(FakeContext.servers(4, weights));

        assertThat(context(4).choose(picker, 16)).containsExactly(weights);
    }

    @ParameterizedTest
    @ValueSource(strings = {"p2c", "la"})
    void shouldPreferTheFastServer(String name) {
        LoadBalancer.Picker picker = FakeContext.balancer(name).picker(FakeContext.servers(4));
        FakeContext context = context(4);
        int[] chosen = new int[4];
        for (int i = 0; i < 20_000; i++) {
            int server = picker.select(context);
            chosen[server]++;
            picker.onFeedback(server, server == 3 ? 20_000_000 : 1_000_000, 0);
        }

        assertThat(share(chosen, 3)).isLessThan(0.15);
    }

    @Test
    void shouldAvoidTheServerThatDoesNotAnswer() {
        LoadBalancer.Picker picker = FakeContext.balancer("p2c").picker(FakeContext.servers(4));
        FakeContext context = context(4);
        int[] chosen = context.choose(picker, 2000);
        assertThat(Arrays.stream(chosen).min().orElseThrow()).isPositive();

        int stuck = 0;
        for (int i = 0; i < 2000; i++) {
            int server = picker.select(context);
            if (server == 0) {
                stuck++;
            } else {
                picker.onFeedback(server, 1_000_000, 0);
            }
        }

        // evenly, it would have been a quarter
        assertThat(stuck).isLessThan(400);
    }

    /** It may have just started, so that its first answer takes longer than callers wait. */
    @ParameterizedTest
    @ValueSource(strings = {"p2c", "la"})
    void shouldWaitForTheFirstAnswerOfANewServer(String name) {
        LoadBalancer balancer = FakeContext.balancer(name);
        List<ServerNode> all = FakeContext.servers(4);
        LoadBalancer.Picker before = balancer.picker(all.subList(0, 3));
        FakeContext context = context(4);
        for (int i = 0; i < 2000; i++) {
            // on a busy machine
            before.onFeedback(before.select(context), 50_000_000, 0);
        }
        LoadBalancer.Picker picker = balancer.picker(all);

        int first = 0;
        for (int i = 0; i < 2000; i++) {
            int server = picker.select(context);
            if (server == 3) {
                first++;
            } else {
                picker.onFeedback(server, 50_000_000, 0);
            }
        }
        // la still gives it the least share; evenly, it would have been 500
        assertThat(first).isBetween(1, name.equals("p2c") ? 1 : 20);

        for (int i = 0; i < first; i++) {
            picker.onFeedback(3, 50_000_000, 0);
        }
        int next = 0;
        for (int i = 0; i < 2000; i++) {
            int server = picker.select(context);
            next += server == 3 ? 1 : 0;
            picker.onFeedback(server, 50_000_000, 0);
        }
        assertThat(next).isGreaterThan(200);
    }

    @Test
    void shouldNotForgetHowSlowAServerIsThatIsCalledAndDoesNotAnswer() {
        long nowNs = System.nanoTime();
        PeakLatency stuck = new PeakLatency();
        stuck.begin(nowNs);
        stuck.end(nowNs, 1_000_000, 0);
        double before = stuck.load(nowNs);

        for (int i = 1; i <= 100; i++) {
            stuck.begin(nowNs + TimeUnit.MILLISECONDS.toNanos(100L * i));
        }

        long laterNs = nowNs + TimeUnit.SECONDS.toNanos(10);
        assertThat(stuck.load(laterNs)).isEqualTo(before * 101);
        // not called for a while: one call finds out how it is now
        assertThat(stuck.load(laterNs + TimeUnit.SECONDS.toNanos(10))).isLessThan(before);
    }

    @Test
    void shouldTryAServerAgainThatWasSlow() {
        long nowNs = System.nanoTime();
        PeakLatency slow = new PeakLatency();
        slow.begin(nowNs);
        slow.end(nowNs, 1_000_000_000, 1008);
        PeakLatency usual = new PeakLatency();
        usual.begin(nowNs);
        usual.end(nowNs, 1_000_000, 0);
        assertThat(slow.load(nowNs)).isGreaterThan(usual.load(nowNs));

        long laterNs = nowNs + 10_000_000_000L;
        usual.begin(nowNs);
        usual.end(laterNs, 1_000_000, 0);
        assertThat(slow.load(laterNs)).isLessThan(usual.load(laterNs));
        slow.begin(nowNs);
        slow.end(laterNs, 1_000_000_000, 1008);
        assertThat(slow.load(laterNs)).isGreaterThan(usual.load(laterNs));
    }

    @Test
    void shouldShrinkTheShareOfAServerWhoseCallsWait() {
        LatencyShare share = new LatencyShare(LatencyShare.FIRST_WEIGHT);
        long nowNs = System.nanoTime();
        for (int i = 0; i < 200; i++) {
            share.begin(nowNs);
            nowNs += 1_000_000;
            share.end(nowNs, 1_000_000, 0);
        }
        long usual = share.weight();
        share.begin(nowNs);
        long waiting = share.begin(nowNs + 20_000_000);
        assertThat(waiting).isLessThan(usual / 4);
        share.end(nowNs + 40_000_000, 40_000_000, 1008);
        long failed = share.end(nowNs + 40_000_000, 20_000_000, 1008);

        assertThat(failed).isLessThan(usual);
        assertThat(new LatencyShare(1).weight()).isEqualTo(LatencyShare.LEAST_WEIGHT);
    }

    @Test
    void shouldNotOverflowWithTheLargestWeights() {
        int most = ServerNode.MAX_WEIGHT;
        LoadBalancer.Picker picker =
                FakeContext.balancer("wrr").picker(FakeContext.servers(10_000, most, most - 1));
        int[] chosen = context(10_000).choose(picker, CALLS);

        assertThat(Arrays.stream(chosen).max().orElseThrow()).isLessThan(100);
    }

    @ParameterizedTest
    @ValueSource(strings = {"c_murmurhash", "c_md5", "c_ketama"})
    void shouldMoveOnlyTheCodesOfAServerThatLeaves(String name) {
        List<ServerNode> all = FakeContext.servers(SERVERS);
        List<ServerNode> fewer = all.subList(0, SERVERS - 1);
        LoadBalancer balancer = FakeContext.balancer(name);
        LoadBalancer.Picker before = balancer.picker(all);
        LoadBalancer.Picker after = balancer.picker(fewer);
        FakeContext context = context(SERVERS);
        context.hasRequestCode = true;
        int[] chosen = new int[SERVERS];
        int moved = 0;
        for (int i = 0; i < CALLS; i++) {
            context.requestCode = random.nextInt();
            int server = before.select(context);
            chosen[server]++;
            int then = after.select(context);
            if (server == SERVERS - 1) {
                moved++;
            } else {
                assertThat(then).isEqualTo(server);
            }
        }

        assertThat(moved).isEqualTo(chosen[SERVERS - 1]);
        for (int i = 0; i < SERVERS; i++) {
            assertThat(share(chosen, i)).as("%s, server %d", name, i).isBetween(0.025, 0.08);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"c_murmurhash", "c_md5", "c_ketama"})
    void shouldGoOnClockwiseWhenAServerIsDead(String name) {
        LoadBalancer.Picker picker =
                FakeContext.balancer(name).picker(FakeContext.servers(SERVERS));
        FakeContext context = context(SERVERS);
        context.hasRequestCode = true;
        for (int i = 0; i < 1000; i++) {
            context.requestCode = random.nextLong();
            int usual = picker.select(context);
            context.dead.set(usual);
            int other = picker.select(context);
            assertThat(other).isNotEqualTo(usual);
            context.dead.clear();
            assertThat(picker.select(context)).isEqualTo(usual);
        }
    }

    /** The values that smhasher's MurmurHash3_x86_32 gives. */
    @Test
    void shouldHashAsOthersDo() {
        assertThat(Murmur3.hash(new byte[0])).isZero();
        assertThat(Murmur3.hash("test".getBytes(java.nio.charset.StandardCharsets.US_ASCII)))
                .isEqualTo(0xba6bd213);
        assertThat(
                        Murmur3.hash(
                                "Hello, world!"
                                        .getBytes(java.nio.charset.StandardCharsets.US_ASCII)))
                .isEqualTo(0xc0363e43);
    }

    @Test
    void shouldRequireARequestCodeToHash() {
        LoadBalancer.Picker picker =
                FakeContext.balancer("c_murmurhash").picker(FakeContext.servers(3));

        assertThatThrownBy(() -> picker.select(context(3)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("request code");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "rr",
                "random",
                "wrr",
                "wr",
                "p2c",
                "la",
                "c_murmurhash",
                "c_md5",
                "c_ketama"
            })
    void shouldFindNoServerWhereThereIsNone(String name) {
        FakeContext none = context(0);
        none.hasRequestCode = true;
        assertThat(FakeContext.balancer(name).picker(List.of()).select(none))
                .isEqualTo(LoadBalancer.NONE);
        FakeContext allDead = context(3);
        allDead.hasRequestCode = true;
        allDead.dead.set(0, 3);
        assertThat(FakeContext.balancer(name).picker(FakeContext.servers(3)).select(allDead))
                .isEqualTo(LoadBalancer.NONE);
        FakeContext oneLeft = context(500);
        oneLeft.hasRequestCode = true;
        oneLeft.dead.set(0, 499);
        assertThat(FakeContext.balancer(name).picker(FakeContext.servers(500)).select(oneLeft))
                .isEqualTo(499);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "rr",
                "random",
                "wrr",
                "wr",
                "p2c",
                "la",
                "c_murmurhash",
                "c_md5",
                "c_ketama"
            })
    void shouldNotAllocate(String name) {
        LoadBalancer.Picker picker = FakeContext.balancer(name).picker(FakeContext.servers(1000));
        FakeContext context = context(1000);
        context.hasRequestCode = true;
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 10; round++) {
            long before = AllocatedBytes.now();
            for (int i = 0; i < 10_000; i++) {
                context.requestCode = i * 7919L;
                int server = picker.select(context);
                picker.onFeedback(server, 1_000_000, 0);
            }
            least = Math.min(least, AllocatedBytes.now() - before);
        }

        assertThat(least).isLessThan(10_000);
    }

    /** What a balancer has learned about a server outlives a change of the list. */
    @ParameterizedTest
    @ValueSource(strings = {"p2c", "la"})
    void shouldRememberServersThatStay(String name) {
        LoadBalancer balancer = FakeContext.balancer(name);
        FakeContext context = context(4);
        LoadBalancer.Picker first = balancer.picker(FakeContext.servers(4));
        for (int i = 0; i < 4000; i++) {
            int server = first.select(context);
            first.onFeedback(server, server == 0 ? 50_000_000 : 1_000_000, 0);
        }
        LoadBalancer.Picker second = balancer.picker(FakeContext.servers(5));
        FakeContext more = context(5);
        int slow = 0;
        for (int i = 0; i < 100; i++) {
            int server = second.select(more);
            slow += server == 0 ? 1 : 0;
            second.onFeedback(server, server == 0 ? 50_000_000 : 1_000_000, 0);
        }

        assertThat(slow).isLessThan(20);
    }

    @Test
    void shouldRejectUnknownParameters() {
        assertThatThrownBy(
                        () ->
                                Balancers.all()
                                        .getFirst()
                                        .create(Map.of("min_working_instances", "2", "x", "y")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("x");
    }
}
