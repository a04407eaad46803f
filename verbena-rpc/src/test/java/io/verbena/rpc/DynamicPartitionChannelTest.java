// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.verbena.rpc.spi.ServerNode;
import io.verbena.rpc.test.probe.Answer;
import io.verbena.rpc.test.probe.ProbeServiceClient;
import io.verbena.rpc.test.probe.Question;
import io.verbena.transport.SocketMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A service that moves from two to three partitions while it is called. */
class DynamicPartitionChannelTest {
    private static final ParallelChannel.Merger JOIN =
            (merged, response) ->
                    Answer.newBuilder((Answer) merged)
                            .setText(((Answer) merged).getText() + ((Answer) response).getText())
                            .build();

    private final RpcFixture fixture = new RpcFixture(SocketMode.TCP);

    @TempDir private Path folder;

    private DynamicPartitionChannel channel;

    @AfterEach
    void close() {
        if (channel != null) {
            channel.close();
        }
        fixture.close();
    }

    /** {@return a line of the registry for a new server} Its answer is its tag. */
    private String server(String tag) {
        return server(tag, (call, question) -> Probes.answer(tag + " "));
    }

    private String server(String tag, UnaryHandler<Question, Answer> handler) {
        Server server =
                fixture.closing(
                        new Server(fixture.serverSide.node)
                                .add(Probes.service(handler))
                                .start(RpcFixture.anyPort(), ServerOptions.DEFAULT));
        return RpcFixture.addressOf(server) + " " + tag + "\n";
    }

    private void list(String... lines) throws IOException {
        Files.writeString(folder.resolve("new"), String.join("", lines));
        Files.move(
                folder.resolve("new"), folder.resolve("servers"), StandardCopyOption.ATOMIC_MOVE);
    }

    private void open() {
        open(RpcFixture.PATIENT);
    }

    private void open(ChannelOptions options) {
        channel =
                DynamicPartitionChannel.open(
                        fixture.clientSide.node,
                        "file://" + folder.resolve("servers"),
                        "rr",
                        options,
                        partitions -> partitions.withMerger(JOIN));
    }

    private String ask() {
        return new ProbeServiceClient(channel).ask(Probes.question("")).getText();
    }

    @Test
    void shouldShareCallsInProportionToTheServers() throws IOException {
        String two = server("0/2") + server("1/2");
        String three = server("0/3") + server("1/3");
        list(two, three);
        open();
        for (int i = 0; i < 100; i++) {
            assertThat(ask()).isEqualTo("0/2 1/2 ");
        }

        list(two, three, server("2/3"));
        RpcFixture.eventually(() -> ask().endsWith("/3 "), () -> "only two partitions");
        Map<String, Integer> answers = new TreeMap<>();
        for (int i = 0; i < 1000; i++) {
            answers.merge(ask(), 1, Integer::sum);
        }
        assertThat(answers).containsOnlyKeys("0/2 1/2 ", "0/3 1/3 2/3 ");
        // expected: 400; the chance to be this far off is below one in a billion
        assertThat(answers.get("0/2 1/2 ")).isBetween(300, 500);
    }

    @Test
    void shouldLeaveTheOldPartitions() throws IOException {
        list(server("0/1"));
        open();
        assertThat(ask()).isEqualTo("0/1 ");

        list(server("0/2"), server("1/2"));
        RpcFixture.eventually(
                () -> Stream.generate(this::ask).limit(30).allMatch("0/2 1/2 "::equals),
                () -> "still the old ones");
    }

    @Test
    void shouldWatchTheRegistryOnce() throws IOException {
        list(server("0/2"), server("1/2"), server("0/1"));
        open();

        // those of tests before may still be about to end
        RpcFixture.eventually(() -> watches() == 1, () -> watches() + " watches");
        list(server("0/2"), server("1/2"), server("0/3"), server("1/3"), server("2/3"));
        RpcFixture.eventually(() -> ask().endsWith("/3 "), () -> "only two partitions");
        assertThat(watches()).isEqualTo(1);
    }

    private static long watches() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("verbena-naming-file"))
                .count();
    }

    @Test
    void shouldCloseChannelsOfPartitionsThatAreGoneOnceTheirCallsHaveEnded() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        list(
                server(
                        "0/1",
                        (call, question) -> {
                            if (question.getText().isEmpty()) {
                                return Probes.answer("0/1 ");
                            }
                            entered.countDown();
                            assertThat(release.await(20, TimeUnit.SECONDS)).isTrue();
                            return Probes.answer("held");
                        }));
        open(RpcFixture.PATIENT.withCluster(ClusterOptions.DEFAULT.withHoldListSeconds(0)));
        var held = new ProbeServiceClient(channel).askAsync(Probes.question("hold"));
        entered.await();

        list(server("0/2"), server("1/2"));
        RpcFixture.eventually(() -> ask().equals("0/2 1/2 "), () -> "not followed");
        for (int i = 0; i < 20; i++) {
            assertThat(ask()).isEqualTo("0/2 1/2 ");
        }
        assertThat(isOpen(3)).as("a call is under way").isTrue();
        release.countDown();

        assertThat(held.get(20, TimeUnit.SECONDS).getText()).isEqualTo("held");
        RpcFixture.eventually(() -> isOpen(2), () -> "the old partition is open");
        assertThat(ask()).isEqualTo("0/2 1/2 ");
    }

    private boolean isOpen(int partitions) {
        return fixture.clientSide.node.clusters().size() == partitions;
    }

    @Test
    void shouldFailWithoutACompleteNumberOfPartitions() throws IOException {
        list(server("0/2"));
        open();

        RpcException thrown = catchThrowableOfType(RpcException.class, this::ask);

        assertThat(thrown.code()).isEqualTo(RpcError.ENODATA.code());
        assertThat(thrown).hasMessageContaining("not all partitions have a server");
    }

    @Test
    void shouldFindThePartitionAmongOtherWords() throws IOException {
        list(server("zone=a 0/2 w=2"), server("1/2 zone=b"), server("10/2 0/20 x0/3"));
        open();

        assertThat(ask()).isEqualTo("zone=a 0/2 w=2 1/2 zone=b ");
    }

    @Test
    void shouldNotCountServersThatTheFilterLeavesOut() throws IOException {
        list(server("0/1"), server("0/2 old"), server("1/2"), server("0/3 old"), server("1/3 old"));
        open(
                RpcFixture.PATIENT.withCluster(
                        ClusterOptions.DEFAULT.withServerFilter(
                                server -> !server.tag().endsWith("old"))));

        for (int i = 0; i < 30; i++) {
            assertThat(ask()).isEqualTo("0/1 ");
        }
    }

    @Test
    void shouldCallOnAlthoughTheFilterThrows() throws Exception {
        String lines = server("0/1");
        list(lines);
        AtomicBoolean isBroken = new AtomicBoolean();
        CountDownLatch faults = new CountDownLatch(6);
        open(
                RpcFixture.PATIENT.withCluster(
                        ClusterOptions.DEFAULT.withServerFilter(
                                _ -> {
                                    if (isBroken.get()) {
                                        faults.countDown();
                                        throw new IllegalStateException("no filter");
                                    }
                                    return true;
                                })));
        isBroken.set(true);

        list(lines, server("0/2"), server("1/2"));

        assertThat(faults.await(20, TimeUnit.SECONDS)).isTrue();
        for (int i = 0; i < 30; i++) {
            assertThat(ask()).isEqualTo("0/1 ");
        }
        isBroken.set(false);
        RpcFixture.eventually(() -> ask().equals("0/2 1/2 "), () -> "not followed");
    }

    @Test
    void shouldIgnoreOtherTags() {
        assertThat(
                        PartitionCount.complete(
                                Stream.of("0/1", "0/1", "1/1", "x", "0/0", "0/2", "7", "", "00/1")
                                        .map(tag -> new ServerNode(RpcFixture.anyPort(), tag))
                                        .toList()))
                .isEqualTo(Map.of(1, 2));
    }
}
