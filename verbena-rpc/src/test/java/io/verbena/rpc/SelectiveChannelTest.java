// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import io.verbena.rpc.test.probe.Answer;
import io.verbena.rpc.test.probe.ProbeServiceClient;
import io.verbena.testing.Eventually;
import io.verbena.testing.FreePort;
import io.verbena.transport.SocketMode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a channel made of several learns of those that fail. */
class SelectiveChannelTest {
    private static final int CALLS = 1000;

    /** Succeeds, or fails as the test wants. */
    private final class Scripted extends CombinedChannel {
        final AtomicInteger begun = new AtomicInteger();
        volatile int code;

        Scripted(int code) {
            this.code = code;
        }

        Scripted(RpcError error) {
            this(error.code());
        }

        @Override
        public ClientCall newCall() {
            return fixture.clientSide.node.controller();
        }

        @Override
        int timeoutMs() {
            return -1;
        }

        @Override
        <Q extends Message, R extends Message> void begin(
                RpcMethod<Q, R> method, Q request, ClientController call, Consumer<Message> done) {
            begun.getAndIncrement();
            int now = code;
            if (now != 0) {
                call.outcome(now, "not today");
            }
            CallNotifier.runHere(done, Probes.answer("x"));
        }

        /** {@return how many calls it gets while a channel gets some} */
        int partOf(SelectiveChannel all, int calls) {
            int before = begun.get();
            for (int i = 0; i < calls; i++) {
                codeOf(all);
            }
            return begun.get() - before;
        }
    }

    private final RpcFixture fixture = new RpcFixture(SocketMode.TCP);

    @AfterEach
    void close() {
        fixture.close();
    }

    private static int codeOf(Caller caller) {
        CompletableFuture<Answer> answer =
                new ProbeServiceClient(caller).askAsync(Probes.question("x"));
        try {
            answer.orTimeout(20, TimeUnit.SECONDS).join();
            return 0;
        } catch (CompletionException e) {
            return e.getCause() instanceof RpcException failed ? failed.code() : -1;
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = RpcError.class,
            names = {"EHOSTDOWN", "ENODATA", "ELIMIT", "ETOOMANYFAILS", "ERPCTIMEDOUT"})
    void shouldSoonLeaveOutAChannelThatFails(RpcError error) {
        Scripted failing = new Scripted(error);
        Scripted good = new Scripted(0);
        SelectiveChannel any = SelectiveChannel.of(List.of(failing, good));
        failing.partOf(any, 10);

        assertThat(failing.partOf(any, CALLS)).isLessThan(CALLS / 20);
    }

    @Test
    void shouldGiveAChannelThatIsBackItsShare() {
        Scripted failing = new Scripted(RpcError.EHOSTDOWN);
        Scripted good = new Scripted(0);
        SelectiveChannel any = SelectiveChannel.of(List.of(failing, good));
        assertThat(failing.partOf(any, CALLS)).isLessThan(CALLS / 20);

        failing.code = 0;

        Eventually.be(10, () -> failing.partOf(any, 20));
    }

    @Test
    void shouldShareTheCallsOfAFailingChannelEqually() {
        Scripted failing = new Scripted(RpcError.EHOSTDOWN);
        List<Scripted> good = List.of(new Scripted(0), new Scripted(0), new Scripted(0));
        List<Scripted> all = new ArrayList<>(good);
        all.addFirst(failing);
        SelectiveChannel any = SelectiveChannel.of(all);
        failing.partOf(any, CALLS);

        assertThat(good)
                .allSatisfy(
                        each ->
                                assertThat(each.begun.get())
                                        .isBetween(CALLS / 3 - 20, CALLS / 3 + 20));
    }

    @ParameterizedTest
    @EnumSource(
            value = RpcError.class,
            names = {"EREQUEST", "EINTERNAL"})
    void shouldNotLeaveOutAChannelThatAnswers(RpcError error) {
        Scripted refusing = new Scripted(error);
        SelectiveChannel any = SelectiveChannel.of(List.of(refusing, new Scripted(0)));

        assertThat(refusing.partOf(any, CALLS)).isEqualTo(CALLS / 2);
    }

    @Test
    void shouldTryAFailingChannelLast() {
        Scripted failing = new Scripted(RpcError.EHOSTDOWN);
        Scripted full = new Scripted(0);
        Scripted good = new Scripted(0);
        SelectiveChannel any = SelectiveChannel.of(List.of(full, failing, good));
        failing.partOf(any, 20);
        full.code = RpcError.ELIMIT.code();

        assertThat(failing.partOf(any, 6)).as("tries that began elsewhere").isLessThan(2);
    }

    @Test
    void shouldSayWhyWhenAllChannelsFailAndRecoverAtOnce() {
        Scripted first = new Scripted(RpcError.EHOSTDOWN);
        Scripted second = new Scripted(RpcError.ENODATA);
        SelectiveChannel any = SelectiveChannel.of(List.of(first, second));
        for (int i = 0; i < CALLS; i++) {
            assertThat(codeOf(any)).isIn(RpcError.EHOSTDOWN.code(), RpcError.ENODATA.code());
        }
        assertThat(first.begun.get()).isEqualTo(CALLS);
        assertThat(second.begun.get()).isEqualTo(CALLS);

        second.code = 0;

        for (int i = 0; i < CALLS; i++) {
            assertThat(codeOf(any)).isZero();
        }
    }

    @Test
    void shouldAnswerEveryCallWhileChannelsFailInTurn() throws Exception {
        List<Scripted> channels = List.of(new Scripted(0), new Scripted(0), new Scripted(0));
        SelectiveChannel any = SelectiveChannel.of(channels);
        AtomicInteger running = new AtomicInteger(4);
        try (ExecutorService threads =
                Executors.newThreadPerTaskExecutor(
                        Thread.ofVirtual().name("test-caller").factory())) {
            List<Future<Integer>> failures = new ArrayList<>();
            for (int i = running.get(); i > 0; i--) {
                failures.add(
                        threads.submit(
                                () -> {
                                    int failed = 0;
                                    for (int call = 0; call < CALLS; call++) {
                                        failed += codeOf(any) == 0 ? 0 : 1;
                                    }
                                    running.getAndDecrement();
                                    return failed;
                                }));
            }
            for (int i = 0; running.get() > 0; i = (i + 1) % 2) {
                // the third one always works
                channels.get(1 - i).code = 0;
                channels.get(i).code = RpcError.EHOSTDOWN.code();
                Thread.yield();
            }
            for (Future<Integer> failed : failures) {
                assertThat(failed.get(30, TimeUnit.SECONDS)).isZero();
            }
        }
        channels.forEach(each -> each.code = 0);
        Eventually.be(10, () -> channels.getFirst().partOf(any, 30));
    }

    @Test
    void shouldLearnOfServersThatRefuseAndComeBack() {
        fixture.clientSide.node.flags().set(RpcFlag.HEALTH_CHECK_INTERVAL, 1L);
        InetSocketAddress address =
                new InetSocketAddress(InetAddress.getLoopbackAddress(), FreePort.choose());
        AtomicInteger served = new AtomicInteger();
        Channel back = channel(address);
        Channel empty =
                fixture.closing(
                        Channel.open(
                                fixture.clientSide.node,
                                "file:///nothing/here",
                                "rr",
                                RpcFixture.PATIENT));
        Channel good = channel(server(new AtomicInteger(), RpcFixture.anyPort()).address());
        SelectiveChannel any = SelectiveChannel.of(List.of(back, empty, good));
        for (int i = 0; i < CALLS; i++) {
            assertThat(codeOf(any)).isZero();
        }

        server(served, address);

        Eventually.be(
                10,
                () -> {
                    int before = served.get();
                    for (int i = 0; i < 20; i++) {
                        codeOf(any);
                    }
                    return served.get() - before;
                });
    }

    private Channel channel(InetSocketAddress address) {
        return fixture.closing(
                Channel.open(
                        fixture.clientSide.node,
                        "127.0.0.1:" + address.getPort(),
                        RpcFixture.PATIENT));
    }

    private Server server(AtomicInteger served, InetSocketAddress address) {
        return fixture.closing(
                new Server(fixture.serverSide.node)
                        .add(
                                Probes.service(
                                        (call, question) -> {
                                            served.getAndIncrement();
                                            return Probes.echo(call, question);
                                        }))
                        .start(address, ServerOptions.DEFAULT));
    }
}
