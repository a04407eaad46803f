// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.Message;
import io.verbena.rpc.test.probe.Answer;
import io.verbena.rpc.test.probe.ProbeServiceClient;
import io.verbena.testing.Thrown;
import io.verbena.transport.SocketMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How calls on combined channels end: cancels, deadlines, budgets and faults at each moment. */
class CombinedCallEndTest {
    /** Answers, or not; runs on the thread that calls. */
    @FunctionalInterface
    private interface Behaviour {
        void begin(ClientController part, Runnable done);
    }

    /** A channel that a test answers for. */
    private final class Scripted extends CombinedChannel {
        final List<ClientController> begun = new ArrayList<>();
        private final Behaviour behaviour;
        Runnable onNewCall = () -> {};
        Runnable onAskedForTimeout = () -> {};
        int timeoutMs = -1;

        Scripted(Behaviour behaviour) {
            this.behaviour = behaviour;
        }

        @Override
        public ClientCall newCall() {
            onNewCall.run();
            return fixture.clientSide.node.controller();
        }

        @Override
        int timeoutMs() {
            onAskedForTimeout.run();
            return timeoutMs;
        }

        @Override
        <Q extends Message, R extends Message> void begin(
                RpcMethod<Q, R> method, Q request, ClientController call, Consumer<Message> done) {
            begun.add(call);
            behaviour.begin(call, () -> CallNotifier.runHere(done, Probes.answer("x")));
        }
    }

    private static final Behaviour GOOD = (part, done) -> done.run();
    private static final Behaviour SILENT = (part, done) -> {};

    private static Behaviour failing(RpcError error) {
        return (part, done) -> {
            part.outcome(error.code(), "not today");
            done.run();
        };
    }

    private static Behaviour failingAfter(RpcError error, long ms) {
        return (part, done) -> {
            long untilNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
            while (System.nanoTime() - untilNs < 0) {
                LockSupport.parkNanos(untilNs - System.nanoTime());
            }
            failing(error).begin(part, done);
        };
    }

    private final RpcFixture fixture = new RpcFixture(SocketMode.TCP);

    @AfterEach
    void close() {
        fixture.close();
    }

    private ClientController controller() {
        return fixture.closing(fixture.clientSide.node.controller());
    }

    private static int codeOf(Caller caller, ClientController call) {
        CompletableFuture<Answer> answer =
                new ProbeServiceClient(caller).askAsync(Probes.question("x"), call);
        try {
            answer.orTimeout(10, TimeUnit.SECONDS).join();
            return 0;
        } catch (CompletionException e) {
            return e.getCause() instanceof RpcException failed ? failed.code() : -1;
        }
    }

    @Test
    void shouldNotMultiplyTheLoadWhenAllChannelsAreFull() {
        Scripted one = new Scripted(failing(RpcError.ELIMIT));
        Scripted other = new Scripted(failing(RpcError.ELIMIT));
        SelectiveChannel any = SelectiveChannel.of(List.of(one, other));
        int calls = 500;
        for (int i = 0; i < calls; i++) {
            codeOf(any, controller());
        }

        assertThat(one.begun.size() + other.begun.size()).isBetween(calls + 10, calls * 12 / 10);
    }

    @Test
    void shouldLeaveAChannelThatReachesNoServerWithEveryCall() {
        Scripted dead = new Scripted(failing(RpcError.EHOSTDOWN));
        Scripted good = new Scripted(GOOD);
        SelectiveChannel any = SelectiveChannel.of(List.of(dead, good));
        for (int i = 0; i < 500; i++) {
            assertThat(codeOf(any, controller())).isZero();
        }
    }

    @Test
    void shouldCancelBeforeTheFirstChannelIsCalled() {
        Scripted one = new Scripted(GOOD);
        ClientController call = controller();
        one.onNewCall = call::startCancel;

        assertThat(codeOf(SelectiveChannel.of(List.of(one)), call))
                .isEqualTo(RpcError.ECANCELED.code());
        assertThat(one.begun).isEmpty();
    }

    @Test
    void shouldCancelBetweenTwoTries() {
        Scripted full = new Scripted(failing(RpcError.ELIMIT));
        Scripted other = new Scripted(GOOD);
        ClientController call = controller();
        other.onNewCall = call::startCancel;

        assertThat(codeOf(SelectiveChannel.of(List.of(full, other)), call))
                .isEqualTo(RpcError.ECANCELED.code());
        assertThat(other.begun).isEmpty();
    }

    @Test
    void shouldShareTheTimeLimitOfTheChannelsAmongAllTries() {
        Scripted slow = new Scripted(failingAfter(RpcError.ELIMIT, 50));
        Scripted other = new Scripted(GOOD);
        slow.timeoutMs = 20_000;
        other.timeoutMs = 100;

        assertThat(codeOf(SelectiveChannel.of(List.of(slow, other)), controller())).isZero();

        assertThat(slow.begun.getFirst().timeoutMs(-1)).as("its channel's own").isEqualTo(-1);
        assertThat(other.begun.getFirst().timeoutMs(-1)).as("still its own").isEqualTo(-1);
        other.timeoutMs = 20_000;
        assertThat(codeOf(SelectiveChannel.of(List.of(slow, other)), controller())).isZero();
        assertThat(other.begun.getLast().timeoutMs(-1)).isBetween(1, 19_950);
    }

    @Test
    void shouldNotTryAnotherChannelWhenTheTimeIsOver() {
        Scripted slow = new Scripted(failingAfter(RpcError.ELIMIT, 50));
        Scripted other = new Scripted(GOOD);
        ClientController call = controller();
        call.setTimeoutMs(20);

        assertThat(codeOf(SelectiveChannel.of(List.of(slow, other)), call))
                .isEqualTo(RpcError.ELIMIT.code());
        assertThat(other.begun).isEmpty();
    }

    /** As on one channel, unless that counts it. */
    @Test
    void shouldNotCountConnectingWhenItTriesAnotherChannel() {
        Scripted unreachable = new Scripted(failingAfter(RpcError.ETIMEDOUT, 2_500));
        Scripted other = new Scripted(GOOD);
        ClientController call = controller();
        call.setTimeoutMs(2_000);

        assertThat(codeOf(SelectiveChannel.of(List.of(unreachable, other)), call)).isZero();
        assertThat(other.begun.getFirst().timeoutMs(-1)).isBetween(1, 2_000);
    }

    @Test
    void shouldNotCallFurtherChannelsAfterACancel() {
        ClientController call = controller();
        Scripted first = new Scripted((part, done) -> call.startCancel());
        Scripted second = new Scripted(SILENT);

        assertThat(codeOf(ParallelChannel.of(List.of(first, second)), call))
                .isEqualTo(RpcError.ECANCELED.code());
        assertThat(second.begun).isEmpty();
        // the only part that was sent ends late
        assertThat(first.begun).hasSize(1);
    }

    @Test
    void shouldNotCallFurtherChannelsWhenTooManyHaveFailed() {
        Scripted first = new Scripted(failing(RpcError.ELIMIT));
        Scripted second = new Scripted(SILENT);

        assertThat(
                        codeOf(
                                ParallelChannel.of(List.of(first, second)).withFailLimit(1),
                                controller()))
                .isEqualTo(RpcError.ETOOMANYFAILS.code());
        assertThat(second.begun).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void shouldEndTheCallWhenTheMapperFails(Thrown thrown) {
        Scripted one = new Scripted(GOOD);
        ParallelChannel all =
                ParallelChannel.of(List.of(one, one))
                        .withMapper(
                                (channel, channels, method, request) -> {
                                    if (channel == 1) {
                                        thrown.raise();
                                    }
                                    return Optional.of(request);
                                });
        ClientController call = controller();
        call.requestAttachment().append(new byte[] {1, 2, 3});

        assertThat(codeOf(all, call)).isEqualTo(RpcError.EREQUEST.code());
        assertThat(call.errorText()).contains("the mapper failed").contains(thrown.trace());
        assertThat(one.begun).isEmpty();
        // the fixture finds blocks that a part has kept
    }

    /** The first try is over, and nobody else would end the call. */
    @ParameterizedTest
    @EnumSource
    void shouldEndTheCallWhenTheNextChannelCannotBeCalled(Thrown thrown) {
        Scripted full = new Scripted(failing(RpcError.ELIMIT));
        Scripted broken = new Scripted(GOOD);
        SelectiveChannel any = SelectiveChannel.of(List.of(full, broken));
        ClientController call = controller();
        call.setTimeoutMs(10_000);
        broken.onNewCall = () -> broken.onAskedForTimeout = thrown::raise;

        assertThat(codeOf(any, call)).isEqualTo(RpcError.EINTERNAL.code());
        assertThat(call.errorText()).contains("the channel failed", thrown.trace());
        assertThat(broken.begun).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void shouldReleaseThePartsThoughOneCannotBeCanceled(Thrown thrown) {
        List<Runnable> held = new ArrayList<>();
        Scripted stubborn =
                new Scripted(
                        (part, done) -> {
                            part.begin(thrown::raise);
                            held.add(done);
                        });
        Scripted full = new Scripted(failing(RpcError.ELIMIT));
        ParallelChannel all = ParallelChannel.of(List.of(stubborn, full)).withFailLimit(1);
        ClientController call = controller();
        call.requestAttachment().append(new byte[] {1, 2, 3});

        assertThat(codeOf(all, call)).isEqualTo(RpcError.ETOOMANYFAILS.code());
        held.forEach(Runnable::run);

        assertThat(stubborn.begun.getFirst().requestAttachment().isEmpty()).isTrue();
    }

    @Test
    @SuppressWarnings("NullOptional") // what a careless mapper does
    void shouldEndTheCallWhenTheMapperReturnsNull() {
        Scripted one = new Scripted(GOOD);
        ParallelChannel all =
                ParallelChannel.of(List.of(one))
                        .withMapper((channel, channels, method, request) -> null);
        RpcException failure =
                catchThrowableOfType(
                        RpcException.class,
                        () -> new ProbeServiceClient(all).ask(Probes.question("")));

        assertThat(failure.code()).isEqualTo(RpcError.EREQUEST.code());
    }

    @ParameterizedTest
    @EnumSource
    void shouldEndTheCallWhenAChannelThrows(Thrown thrown) {
        Scripted broken = new Scripted((part, done) -> thrown.raise());
        Scripted good = new Scripted(GOOD);

        assertThat(codeOf(SelectiveChannel.of(List.of(broken)), controller()))
                .isEqualTo(RpcError.EINTERNAL.code());
        assertThat(codeOf(ParallelChannel.of(List.of(broken)), controller()))
                .isEqualTo(RpcError.EINTERNAL.code());
        assertThat(codeOf(ParallelChannel.of(List.of(broken, good)), controller())).isZero();
    }
}
