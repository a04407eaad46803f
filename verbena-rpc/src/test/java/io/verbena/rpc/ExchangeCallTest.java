// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import io.verbena.rpc.spi.CallContext;
import io.verbena.rpc.spi.ClientProtocol;
import io.verbena.rpc.spi.ClientRequest;
import io.verbena.rpc.spi.ClientStream;
import io.verbena.rpc.spi.LoadBalancer;
import io.verbena.rpc.spi.MessageSink;
import io.verbena.rpc.spi.MessageSource;
import io.verbena.rpc.spi.ServerNode;
import io.verbena.rpc.spi.StreamEvents;
import io.verbena.rpc.test.EchoResponse;
import io.verbena.rpc.test.EchoService;
import io.verbena.transport.Connection;
import io.verbena.transport.SocketMode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls over a protocol whose outcomes the test decides. */
class ExchangeCallTest {
    private static final EchoResponse NOTHING = EchoResponse.getDefaultInstance();

    private final RpcFixture fixture = new RpcFixture(SocketMode.TCP);
    private final StreamTimer timer = new StreamTimer();
    private final Played protocol = new Played();
    private final List<Integer> asked = new CopyOnWriteArrayList<>();
    private final List<Integer> told = new CopyOnWriteArrayList<>();
    private final List<ServerSelector> opened = new ArrayList<>();
    private volatile boolean isPickerBroken;
    private CallSettings settings;

    @AfterEach
    void close() {
        opened.forEach(ServerSelector::close);
        timer.stop();
        fixture.close();
    }

    /**
     * The first available server; writes down for which tries it was chosen, and what it is told.
     */
    private final class Noting implements LoadBalancer {
        @Override
        public Picker picker(List<ServerNode> servers) {
            return new Picker() {
                @Override
                public int select(CallContext call) {
                    if (isPickerBroken) {
                        throw new IllegalArgumentException("as told");
                    }
                    for (int i = 0; i < call.size(); i++) {
                        if (call.isAvailable(i)) {
                            asked.add(call.tries());
                            return i;
                        }
                    }
                    return LoadBalancer.NONE;
                }

                @Override
                public void onFeedback(int server, long latencyNs, int errorCode) {
                    told.add(errorCode);
                }
            };
        }
    }

    /** Hands each try to the test. */
    private static final class Played implements ClientProtocol {
        final BlockingQueue<PlayedTry> tries = new LinkedBlockingQueue<>();
        volatile boolean isBroken;

        @Override
        public ClientStream start(ClientRequest request, StreamEvents events) {
            if (isBroken) {
                throw new IllegalStateException("as told");
            }
            PlayedTry begun = new PlayedTry(events);
            tries.add(begun);
            return begun;
        }

        PlayedTry next() throws InterruptedException {
            PlayedTry begun = tries.poll(20, TimeUnit.SECONDS);
            assertThat(begun).as("a try").isNotNull();
            return begun;
        }

        @Override
        public void close() {}
    }

    /** A try that ends as the test wants. */
    private static final class PlayedTry implements ClientStream, MessageSource {
        final StreamEvents events;
        final List<Integer> canceled = new CopyOnWriteArrayList<>();
        private volatile EchoResponse response;

        PlayedTry(StreamEvents events) {
            this.events = events;
        }

        void answer(String text) {
            response = EchoResponse.newBuilder().setMessage(text).build();
            events.onOver(0, "");
        }

        void fail(RpcError error) {
            events.onOver(error.code(), "[E" + error.code() + "]as told");
        }

        @Override
        public MessageSink requests() {
            throw new UnsupportedOperationException();
        }

        @Override
        public MessageSource responses() {
            return this;
        }

        @Override
        public Map<String, String> responseUserFields() {
            return Map.of();
        }

        @Override
        public Optional<Connection> connection() {
            return Optional.empty();
        }

        @Override
        public void cancel(int code) {
            canceled.add(code);
        }

        @Override
        @SuppressWarnings("unchecked") // the test asks for this class only
        public <M extends Message> M poll(M prototype) {
            return (M) response;
        }

        @Override
        public boolean isEnded() {
            return true;
        }

        @Override
        public void close() {}
    }

    private ExchangeCalls calls(ChannelOptions options, int servers) {
        List<ServerNode> nodes = new ArrayList<>();
        for (int i = 1; i <= servers; i++) {
            nodes.add(
                    new ServerNode(new InetSocketAddress(InetAddress.getLoopbackAddress(), i), ""));
        }
        BalancedServers selector =
                fixture.clientSide.node.balancedServers(
                        "test://", new ScriptedNaming(nodes).named(), Noting::new, options);
        opened.add(selector);
        settings = new CallSettings(options, selector);
        return new ExchangeCalls(
                settings, protocol, timer, fixture.clientSide.node.engine().worker());
    }

    private ClientController controller() {
        return fixture.closing(fixture.clientSide.node.controller());
    }

    /** {@return completes when the call is over, whether it failed or not} */
    private static CompletableFuture<String> start(ExchangeCalls calls, ClientController own) {
        CompletableFuture<String> over = new CompletableFuture<>();
        own.method(EchoService.Methods.ECHO.descriptor());
        calls.call(
                EchoService.Methods.ECHO.descriptor(),
                own,
                EchoCalls.request("x"),
                NOTHING,
                response -> over.complete(((EchoResponse) response).getMessage()));
        return over;
    }

    private static String await(CompletableFuture<String> over) throws Exception {
        return over.get(20, TimeUnit.SECONDS);
    }

    @Test
    void shouldRefillTheBudgetOfRetriesWithEachCall() throws Exception {
        ExchangeCalls calls = calls(RpcFixture.PATIENT, 1);
        while (settings.budget().tryTake()) {
            // until it is used up
        }
        for (int i = 0; i < 10; i++) {
            CompletableFuture<String> over = start(calls, controller());
            protocol.next().answer("ok");
            await(over);
        }

        assertThat(settings.budget().tryTake()).isTrue();
        assertThat(settings.budget().tryTake()).isFalse();
    }

    @Test
    void shouldReportATryThatEndsWithTheDeadline() throws Exception {
        ClientController own = controller();
        CompletableFuture<String> over = start(calls(RpcFixture.PATIENT.withTimeoutMs(30), 1), own);
        PlayedTry hung = protocol.next();

        await(over);

        assertThat(own.errorCode()).isEqualTo(RpcError.ERPCTIMEDOUT.code());
        RpcFixture.eventually(() -> !told.isEmpty(), () -> "not told");
        assertThat(told).containsExactly(RpcError.ERPCTIMEDOUT.code());
        RpcFixture.eventually(() -> !hung.canceled.isEmpty(), () -> "not canceled");
        hung.fail(RpcError.EEOF);
        assertThat(told).hasSize(1);
    }

    @Test
    void shouldReportATryThatIsCanceled() throws Exception {
        ClientController own = controller();
        CompletableFuture<String> over = start(calls(RpcFixture.PATIENT, 1), own);
        PlayedTry hung = protocol.next();

        own.startCancel();
        await(over);
        hung.answer("late");

        assertThat(own.errorCode()).isEqualTo(RpcError.ECANCELED.code());
        RpcFixture.eventually(() -> !told.isEmpty(), () -> "not told");
        assertThat(told).containsExactly(RpcError.ECANCELED.code());
    }

    @Test
    void shouldReportATryThatCannotBegin() throws Exception {
        protocol.isBroken = true;
        ClientController own = controller();
        await(start(calls(RpcFixture.PATIENT, 1), own));

        assertThat(own.errorCode()).isEqualTo(RpcError.EINTERNAL.code());
        assertThat(own.errorText()).contains("the call cannot begin", "as told");
        assertThat(told).containsExactly(RpcError.EINTERNAL.code());
    }

    @Test
    void shouldKeepTheCodeOfABalancerThatRefuses() throws Exception {
        isPickerBroken = true;
        ClientController own = controller();
        await(start(calls(RpcFixture.PATIENT, 1), own));

        assertThat(own.errorCode()).isEqualTo(RpcError.EINVAL.code());
    }

    @Test
    void shouldTellBalancersWhichTryItIs() throws Exception {
        ClientController own = controller();
        CompletableFuture<String> over = start(calls(RpcFixture.PATIENT, 2), own);
        protocol.next().fail(RpcError.ELIMIT);
        protocol.next().answer("retried");

        assertThat(await(over)).isEqualTo("retried");
        assertThat(asked).containsExactly(0, 1);
        assertThat(told).containsExactly(RpcError.ELIMIT.code(), 0);
        assertThat(own.retriedCount()).isEqualTo(1);
    }

    @Test
    void shouldListTheFailuresOfAllTries() throws Exception {
        ClientController own = controller();
        own.setMaxRetry(1);
        CompletableFuture<String> over = start(calls(RpcFixture.PATIENT, 2), own);
        protocol.next().fail(RpcError.ELIMIT);
        protocol.next().fail(RpcError.EEOF);
        await(over);

        assertThat(own.errorCode()).isEqualTo(RpcError.EEOF.code());
        assertThat(own.errorText()).isEqualTo("[E2004]as told [R1][E1014]as told");
    }

    private static ChannelOptions withBackup() {
        return RpcFixture.PATIENT.withBackupRequestMs(20);
    }

    @Test
    void shouldTakeTheAnswerOfTheBackup() throws Exception {
        ClientController own = controller();
        CompletableFuture<String> over = start(calls(withBackup(), 2), own);
        PlayedTry first = protocol.next();
        protocol.next().answer("backup");

        assertThat(await(over)).isEqualTo("backup");
        assertThat(own.hasBackupRequest()).isTrue();
        assertThat(told).containsExactly(0, RpcError.EBACKUPREQUEST.code());
        RpcFixture.eventually(() -> !first.canceled.isEmpty(), () -> "not canceled");
    }

    @Test
    void shouldWaitForTheFirstTryWhenTheBackupFails() throws Exception {
        ClientController own = controller();
        CompletableFuture<String> over = start(calls(withBackup(), 2), own);
        PlayedTry first = protocol.next();
        protocol.next().fail(RpcError.ELIMIT);
        first.answer("first");

        assertThat(await(over)).isEqualTo("first");
        assertThat(told).containsExactly(RpcError.ELIMIT.code(), 0);
        assertThat(protocol.tries).isEmpty();
    }

    @Test
    void shouldRetryWhenTheFirstTryAndTheBackupFail() throws Exception {
        ClientController own = controller();
        CompletableFuture<String> over = start(calls(withBackup(), 3), own);
        PlayedTry first = protocol.next();
        PlayedTry backup = protocol.next();
        first.fail(RpcError.EEOF);
        backup.fail(RpcError.ELIMIT);
        protocol.next().answer("retried");

        assertThat(await(over)).isEqualTo("retried");
        assertThat(own.retriedCount()).isEqualTo(2);
        assertThat(told).containsExactly(RpcError.EEOF.code(), RpcError.ELIMIT.code(), 0);
    }

    @Test
    void shouldReportBothTriesWhenTheDeadlinePasses() throws Exception {
        ClientController own = controller();
        CompletableFuture<String> over = start(calls(withBackup().withTimeoutMs(3_000), 2), own);
        protocol.next();
        protocol.next();
        await(over);

        int code = RpcError.ERPCTIMEDOUT.code();
        assertThat(own.errorCode()).isEqualTo(code);
        RpcFixture.eventually(() -> told.size() == 2, () -> told + " (expected: two)");
        assertThat(told).containsExactly(code, code);
    }

    @Test
    void shouldSendNoBackupBeyondTheBudget() throws Exception {
        ExchangeCalls calls = calls(withBackup().withTimeoutMs(100), 2);
        while (settings.budget().tryTake()) {
            // until it is used up
        }
        ClientController own = controller();
        await(start(calls, own));

        assertThat(own.hasBackupRequest()).isFalse();
        RpcFixture.eventually(() -> !told.isEmpty(), () -> "not told");
        assertThat(told).containsExactly(RpcError.ERPCTIMEDOUT.code());
    }

    /** Answers, failures, backup requests, deadlines and cancellations meet at the same moment. */
    @Test
    void shouldReportEachTryOnceWhateverEndsItFirst() throws Exception {
        int count = 2_000;
        ExchangeCalls calls = calls(RpcFixture.PATIENT.withBackupRequestMs(1).withTimeoutMs(3), 3);
        AtomicInteger ends = new AtomicInteger();
        CountDownLatch over = new CountDownLatch(count);
        Thread server =
                Thread.ofPlatform()
                        .name("server")
                        .start(
                                () -> {
                                    try {
                                        for (int i = 0; over.getCount() > 0; i++) {
                                            PlayedTry next =
                                                    protocol.tries.poll(1, TimeUnit.MILLISECONDS);
                                            if (next != null && i % 3 == 0) {
                                                next.fail(RpcError.ELIMIT);
                                            } else if (next != null && i % 3 == 1) {
                                                next.answer("ok");
                                            }
                                        }
                                    } catch (InterruptedException e) {
                                        Thread.currentThread().interrupt();
                                    }
                                });
        for (int i = 0; i < count; i++) {
            ClientController own = fixture.clientSide.node.controller();
            var _ =
                    start(calls, own)
                            .thenRun(
                                    () -> {
                                        ends.incrementAndGet();
                                        over.countDown();
                                    });
            if (i % 5 == 0) {
                own.startCancel();
            }
        }
        assertThat(over.await(30, TimeUnit.SECONDS)).isTrue();
        server.join();

        RpcFixture.eventually(
                () -> told.size() == asked.size(), () -> told.size() + " of " + asked.size());
        assertThat(ends).hasValue(count);
    }
}
