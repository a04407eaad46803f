// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.verbena.rpc.spi.ServerNode;
import io.verbena.rpc.test.probe.Answer;
import io.verbena.rpc.test.probe.ProbeServiceClient;
import io.verbena.rpc.test.probe.Question;
import io.verbena.transport.SocketMode;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Channels made of channels, below generated clients. */
class CombinedChannelTest {
    private static final ParallelChannel.Merger JOIN =
            (merged, response) ->
                    Answer.newBuilder((Answer) merged)
                            .setText(((Answer) merged).getText() + ((Answer) response).getText())
                            .build();

    private final RpcFixture fixture = new RpcFixture(SocketMode.TCP);
    private final CountDownLatch release = new CountDownLatch(1);

    @AfterEach
    void close() {
        release.countDown();
        fixture.close();
    }

    private Server server(UnaryHandler<Question, Answer> handler) {
        return fixture.closing(
                new Server(fixture.serverSide.node)
                        .add(Probes.service(handler))
                        .start(RpcFixture.anyPort(), ServerOptions.DEFAULT));
    }

    private Channel named(String name) {
        return to((call, question) -> Probes.answer(question.getText() + name + " "));
    }

    private Channel failing(int code) {
        return to(
                (call, question) -> {
                    throw new RpcException(code, "not today");
                });
    }

    private Channel waiting() {
        return to(
                (call, question) -> {
                    assertThat(release.await(20, TimeUnit.SECONDS)).isTrue();
                    return Probes.answer("late");
                });
    }

    private Channel to(UnaryHandler<Question, Answer> handler) {
        return fixture.channel(server(handler), RpcFixture.PATIENT);
    }

    @Test
    void shouldCallAllChannelsAndMergeInTheirOrder() {
        ParallelChannel all =
                ParallelChannel.of(List.of(named("a"), named("b"), named("c"))).withMerger(JOIN);
        ProbeServiceClient client = new ProbeServiceClient(all);

        assertThat(client.ask(Probes.question("")).getText()).isEqualTo("a b c ");
        assertThat(client.askAsync(Probes.question("x")).join().getText()).isEqualTo("xa xb xc ");
        CompletableFuture<Answer> told = new CompletableFuture<>();
        try (ClientCall call = all.newCall()) {
            client.askAsync(Probes.question("y"), call, told::complete);
            assertThat(told.join().getText()).isEqualTo("ya yb yc ");
            assertThat(call.latencyUs()).isPositive();
        }
    }

    @Test
    void shouldSendEachChannelItsPart() {
        ParallelChannel all =
                ParallelChannel.of(List.of(named("a"), named("b"), named("c")))
                        .withMerger(JOIN)
                        .withMapper(
                                (channel, channels, method, request) ->
                                        channel == 1
                                                ? Optional.empty()
                                                : Optional.of(
                                                        Probes.question(channel + "/" + channels)));

        assertThat(new ProbeServiceClient(all).ask(Probes.question("")).getText())
                .isEqualTo("0/3a 2/3c ");
    }

    @Test
    void shouldMergeWhatSucceedsBelowTheLimitOfFailures() {
        List<Channel> channels = List.of(named("a"), failing(4711), named("c"));
        ParallelChannel all = ParallelChannel.of(channels).withMerger(JOIN);

        assertThat(new ProbeServiceClient(all).ask(Probes.question("")).getText())
                .isEqualTo("a c ");
        RpcException thrown =
                catchThrowableOfType(
                        RpcException.class,
                        () ->
                                new ProbeServiceClient(all.withFailLimit(1))
                                        .ask(Probes.question("")));
        assertThat(thrown.code()).isEqualTo(RpcError.ETOOMANYFAILS.code());
        assertThat(thrown.text()).contains("not today");
    }

    @Test
    void shouldEndAtTheLimitWithoutWaitingForTheOthers() {
        ParallelChannel all =
                ParallelChannel.of(List.of(waiting(), failing(4711))).withFailLimit(1);

        assertThatThrownBy(() -> new ProbeServiceClient(all).ask(Probes.question("")))
                .isInstanceOf(RpcException.class);
    }

    @Test
    void shouldCancelAllParts() {
        ParallelChannel all = ParallelChannel.of(List.of(waiting(), waiting()));
        try (ClientCall call = all.newCall()) {
            CompletableFuture<Answer> answer =
                    new ProbeServiceClient(all).askAsync(Probes.question(""), call);
            call.startCancel();

            assertThatThrownBy(answer::join).hasCauseInstanceOf(RpcException.class);
        }
    }

    @Test
    void shouldFailWhenMergingThrows() {
        ParallelChannel all =
                ParallelChannel.of(List.of(named("a")))
                        .withMerger(
                                (merged, response) -> {
                                    throw new IllegalStateException("no");
                                });
        RpcException thrown =
                catchThrowableOfType(
                        RpcException.class,
                        () -> new ProbeServiceClient(all).ask(Probes.question("")));

        assertThat(thrown.code()).isEqualTo(RpcError.ERESPONSE.code());
    }

    @Test
    void shouldTakeAnotherChannelWhenOneFails() {
        SelectiveChannel any =
                SelectiveChannel.of(
                        List.of(failing(RpcError.ELOGOFF.code()), named("b"), named("c")));
        ProbeServiceClient client = new ProbeServiceClient(any);
        for (int i = 0; i < 9; i++) {
            assertThat(client.ask(Probes.question("")).getText()).isIn("b ", "c ");
        }
        RpcException thrown =
                catchThrowableOfType(
                        RpcException.class,
                        () ->
                                new ProbeServiceClient(
                                                SelectiveChannel.of(
                                                        List.of(failing(4711), named("b"))))
                                        .ask(Probes.question("")));

        assertThat(thrown.code()).as("a failure of the service itself").isEqualTo(4711);
    }

    @Test
    void shouldCallEveryPartition() {
        StringBuilder url = new StringBuilder("list://");
        for (int partition = 0; partition < 3; partition++) {
            for (int copy = 0; copy < 2; copy++) {
                String name = partition + " ";
                Server server = server((call, question) -> Probes.answer(name));
                url.append(RpcFixture.addressOf(server))
                        .append(' ')
                        .append(partition)
                        .append("/3")
                        .append(copy == 0 ? "," : " zone=a w=2,");
            }
        }
        try (PartitionChannel all =
                PartitionChannel.open(
                                fixture.clientSide.node,
                                url.toString(),
                                "rr",
                                3,
                                RpcFixture.PATIENT)
                        .withMerger(JOIN)) {
            for (int i = 0; i < 4; i++) {
                assertThat(new ProbeServiceClient(all).ask(Probes.question("")).getText())
                        .isEqualTo("0 1 2 ");
            }
        }
    }

    @Test
    void shouldTellTagsOfPartitionsFromWeights() {
        assertThat(new ServerNode(RpcFixture.anyPort(), "0/3").weight()).isEqualTo(1);
        assertThat(new ServerNode(RpcFixture.anyPort(), "3").weight()).isEqualTo(3);
    }
}
