// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import io.verbena.protoc.test.streams.Chunk;
import io.verbena.protoc.test.streams.StreamService;
import io.verbena.protoc.test.streams.StreamServiceClient;
import io.verbena.transport.SocketMode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The three forms with streams, end to end. */
@ParameterizedClass
@EnumSource(SocketMode.class)
@Timeout(120)
class StreamFormsTest {
    private static final int MANY = 3000;

    private final SocketMode mode;
    private final RpcFixture fixture;
    private final ExecutorService threads =
            Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("test-", 0).factory());
    private Server server;
    private Channel channel;

    StreamFormsTest(SocketMode mode) {
        this.mode = mode;
        this.fixture = new RpcFixture(mode);
    }

    @AfterEach
    void close() {
        threads.shutdownNow();
        fixture.close();
    }

    private StreamServiceClient client(RpcService service) {
        server =
                fixture.closing(
                        new Server(fixture.serverSide.node)
                                .add(service)
                                .start(
                                        RpcFixture.anyPort(),
                                        ServerOptions.DEFAULT.withSocketMode(mode)));
        channel = fixture.channel(server, RpcFixture.PATIENT.withSocketMode(mode));
        return new StreamServiceClient(channel);
    }

    private static List<String> numbers(int count) {
        return IntStream.range(0, count).mapToObj(Integer::toString).toList();
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static <T> T get(Future<T> future) throws Exception {
        return future.get(60, TimeUnit.SECONDS);
    }

    @Test
    void shouldReadManyResponses() {
        StreamServiceClient client = client(new Chunks());

        assertThat(Chunks.read(client.down(Chunks.of(MANY)))).isEqualTo(numbers(MANY));
        assertThat(Chunks.read(client.down(Chunks.of(0)))).isEmpty();
    }

    @Test
    void shouldSendManyRequests() {
        StreamServiceClient client = client(new Chunks());

        try (ClientStreamCall<Chunk, Chunk> up = client.up()) {
            for (int i = 0; i < MANY; i++) {
                up.requests().write(Chunks.of(i));
            }
            assertThat(Chunks.text(up.finish())).isEqualTo(String.join(",", numbers(MANY)));
        }
        try (ClientStreamCall<Chunk, Chunk> up = client.up()) {
            assertThat(Chunks.text(up.finish())).isEmpty();
        }
    }

    @Test
    void shouldTalkInBothDirections() throws Exception {
        StreamServiceClient client = client(new Chunks());

        try (BidirectionalCall<Chunk, Chunk> both = client.both()) {
            both.requests().write(Chunks.of("first"));
            assertThat(Chunks.text(both.responses().next())).isEqualTo("first");
            Future<?> writer =
                    threads.submit(
                            () -> {
                                numbers(MANY).forEach(n -> both.requests().write(Chunks.of(n)));
                                both.requests().close();
                            });
            assertThat(Chunks.read(both.responses())).isEqualTo(numbers(MANY));
            get(writer);
        }
    }

    @Test
    void shouldCarryLargeMessages() {
        StreamServiceClient client = client(new Chunks());
        Chunk large = Chunk.newBuilder().setData(ByteString.copyFrom(new byte[3_000_000])).build();

        try (BidirectionalCall<Chunk, Chunk> both = client.both()) {
            for (int i = 0; i < 5; i++) {
                both.requests().write(large);
                assertThat(both.responses().next()).isEqualTo(large);
            }
        }
    }

    /** Collects what a listener hears. */
    private static final class Heard implements StreamListener<Chunk> {
        private final List<String> texts = new ArrayList<>();
        private final CompletableFuture<List<String>> end = new CompletableFuture<>();

        @Override
        public void onMessage(Chunk message) {
            texts.add(Chunks.text(message));
        }

        @Override
        public void onEnd() {
            end.complete(texts);
        }

        @Override
        public void onFailure(RpcException failure) {
            end.completeExceptionally(failure);
        }
    }

    /** Everything by callbacks. */
    private static class AsyncChunks implements StreamService.Async {
        @Override
        public CompletionStage<Chunk> one(Call call, Chunk chunk) {
            return CompletableFuture.completedFuture(chunk);
        }

        @Override
        public CompletionStage<Chunk> up(Call call, StreamReader<Chunk> requests) {
            Heard heard = new Heard();
            requests.listen(heard);
            return heard.end.thenApply(texts -> Chunks.of(String.join(",", texts)));
        }

        @Override
        public CompletionStage<Void> down(Call call, Chunk chunk, StreamWriter<Chunk> responses) {
            CompletableFuture<Void> end = new CompletableFuture<>();
            AtomicInteger next = new AtomicInteger();
            Runnable more =
                    () -> {
                        while (next.get() < Chunks.number(chunk)) {
                            if (!responses.tryWrite(Chunks.of(next.get()))) {
                                return;
                            }
                            next.incrementAndGet();
                        }
                        end.complete(null);
                    };
            responses.onReady(
                    () -> {
                        synchronized (next) {
                            more.run();
                        }
                    });
            synchronized (next) {
                more.run();
            }
            return end;
        }

        @Override
        public CompletionStage<Void> both(
                Call call, StreamReader<Chunk> requests, StreamWriter<Chunk> responses) {
            CompletableFuture<Void> end = new CompletableFuture<>();
            requests.listen(
                    new StreamListener<Chunk>() {
                        @Override
                        public void onMessage(Chunk message) {
                            responses.write(message);
                        }

                        @Override
                        public void onEnd() {
                            end.complete(null);
                        }

                        @Override
                        public void onFailure(RpcException failure) {
                            end.completeExceptionally(failure);
                        }
                    });
            return end;
        }
    }

    @Test
    void shouldWorkWithCallbacksOnly() throws Exception {
        StreamServiceClient client = client(new AsyncChunks());
        Heard down = new Heard();
        Heard both = new Heard();

        try (ClientCall call = channel.newCall();
                ClientCall other = channel.newCall();
                ClientStreamCall<Chunk, Chunk> up = client.up()) {
            client.downAsync(Chunks.of(MANY), call, down);
            BidirectionalCall<Chunk, Chunk> talk = client.bothAsync(other, both);
            CompletableFuture<Chunk> response = up.response();
            for (int i = 0; i < 100; i++) {
                talk.requests().write(Chunks.of(i));
                up.requests().write(Chunks.of(i));
            }
            talk.requests().close();
            up.requests().close();

            assertThat(get(down.end)).isEqualTo(numbers(MANY));
            assertThat(get(both.end)).isEqualTo(numbers(100));
            assertThat(Chunks.text(get(response))).isEqualTo(String.join(",", numbers(100)));
        }
    }

    @Test
    void shouldPauseAListener() throws Exception {
        StreamServiceClient client = client(new Chunks());
        CountDownLatch first = new CountDownLatch(1);
        AtomicInteger heard = new AtomicInteger();
        CompletableFuture<Void> end = new CompletableFuture<>();
        CompletableFuture<StreamReader<Chunk>> reader = new CompletableFuture<>();
        try (ClientCall call = channel.newCall()) {
            reader.complete(
                    client.downAsync(
                            Chunks.of(MANY),
                            call,
                            new StreamListener<Chunk>() {
                                @Override
                                public void onMessage(Chunk message) throws Exception {
                                    if (heard.incrementAndGet() == 1) {
                                        reader.get().pause();
                                        first.countDown();
                                    }
                                }

                                @Override
                                public void onEnd() {
                                    end.complete(null);
                                }
                            }));
            await(first);
            assertThat(heard).hasValue(1);
            reader.get().resume();
            get(end);
            assertThat(heard).hasValue(MANY);
        }
    }

    @Test
    void shouldEndWithTheServicesErrorAfterWhatItSent() {
        StreamServiceClient client =
                client(
                        new Chunks() {
                            @Override
                            public void down(
                                    Call call, Chunk chunk, StreamWriter<Chunk> responses) {
                                responses.write(Chunks.of("sent"));
                                throw new RpcException(4711, "no more");
                            }

                            @Override
                            public Chunk up(Call call, StreamReader<Chunk> requests) {
                                throw new IllegalStateException("broken");
                            }
                        });

        try (ClientCall call = channel.newCall();
                StreamReader<Chunk> down = client.down(Chunks.of(1), call)) {
            assertThat(Chunks.text(down.next())).isEqualTo("sent");
            RpcException failure = catchThrowableOfType(RpcException.class, down::hasNext);
            assertThat(failure.code()).isEqualTo(4711);
            assertThat(failure.text()).contains("no more");
            assertThat(call.errorCode()).isEqualTo(4711);
        }
        try (ClientStreamCall<Chunk, Chunk> up = client.up()) {
            assertThatThrownBy(up::finish)
                    .isInstanceOf(RpcException.class)
                    .hasMessageContaining("broken");
        }
    }

    @Test
    void shouldTellTheServiceThatTheClientCancels() throws Exception {
        CountDownLatch canceled = new CountDownLatch(2);
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        StreamServiceClient client =
                client(
                        new Chunks() {
                            @Override
                            public void down(
                                    Call call, Chunk chunk, StreamWriter<Chunk> responses) {
                                call.onCancel(canceled::countDown);
                                try {
                                    while (true) {
                                        responses.write(chunk);
                                    }
                                } catch (RpcException e) {
                                    assertThat(call.isCanceled()).isTrue();
                                    thrown.complete(e);
                                    canceled.countDown();
                                    throw e;
                                }
                            }
                        });

        try (StreamReader<Chunk> down = client.down(Chunks.of("x"))) {
            assertThat(Chunks.text(down.next())).isEqualTo("x");
        }

        await(canceled);
        assertThat(((RpcException) get(thrown)).code()).isEqualTo(RpcError.ECANCELED.code());
        RpcFixture.eventually(() -> server.concurrency() == 0, () -> "still running");
    }

    @Test
    void shouldEndAtTheDeadlineOnBothSides() throws Exception {
        CompletableFuture<Integer> code = new CompletableFuture<>();
        StreamServiceClient client =
                client(
                        new Chunks() {
                            @Override
                            public void both(
                                    Call call,
                                    StreamReader<Chunk> requests,
                                    StreamWriter<Chunk> responses) {
                                try {
                                    requests.hasNext();
                                } catch (RpcException e) {
                                    code.complete(e.code());
                                    throw e;
                                }
                            }
                        });

        try (ClientCall call = channel.newCall()) {
            call.setTimeoutMs(2_000);
            BidirectionalCall<Chunk, Chunk> both = client.both(call);
            RpcException failure =
                    catchThrowableOfType(RpcException.class, both.responses()::hasNext);
            assertThat(failure.code()).isEqualTo(RpcError.ERPCTIMEDOUT.code());
        }
        assertThat(get(code)).isIn(RpcError.ERPCTIMEDOUT.code(), RpcError.ECANCELED.code());
    }

    @Test
    void shouldCancelWhenInterrupted() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        StreamServiceClient client =
                client(
                        new Chunks() {
                            @Override
                            public void down(Call call, Chunk chunk, StreamWriter<Chunk> responses)
                                    throws InterruptedException {
                                running.countDown();
                                CountDownLatch over = new CountDownLatch(1);
                                call.onCancel(over::countDown);
                                over.await();
                            }
                        });
        CompletableFuture<Integer> code = new CompletableFuture<>();
        Thread reader =
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    try {
                                        client.down(Chunks.of(1)).hasNext();
                                    } catch (RpcException e) {
                                        code.complete(e.code());
                                    }
                                });
        await(running);
        reader.interrupt();

        assertThat(get(code)).isEqualTo(RpcError.ECANCELED.code());
    }

    @Test
    void shouldEndTheServiceWhenTheClientVanishes() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        CompletableFuture<Integer> code = new CompletableFuture<>();
        StreamServiceClient client =
                client(
                        new Chunks() {
                            @Override
                            public Chunk up(Call call, StreamReader<Chunk> requests) {
                                running.countDown();
                                try {
                                    requests.hasNext();
                                } catch (RpcException e) {
                                    code.complete(e.code());
                                }
                                return Chunks.of("late");
                            }
                        });
        ClientStreamCall<Chunk, Chunk> up = client.up();
        await(running);
        channel.close();

        assertThatThrownBy(up::finish).isInstanceOf(RpcException.class);
        assertThat(get(code)).isNotZero();
        RpcFixture.eventually(() -> server.concurrency() == 0, () -> "still running");
    }

    @Test
    void shouldLetStreamsFinishWhenTheServerStops() throws Exception {
        StreamServiceClient client = client(new Chunks());
        try (BidirectionalCall<Chunk, Chunk> both = client.both()) {
            both.requests().write(Chunks.of("a"));
            assertThat(Chunks.text(both.responses().next())).isEqualTo("a");
            server.stop();
            Future<?> joined =
                    threads.submit(
                            () -> {
                                server.join();
                                return null;
                            });

            assertThatThrownBy(() -> client.down(Chunks.of(1)).hasNext())
                    .isInstanceOf(RpcException.class);
            both.requests().write(Chunks.of("b"));
            assertThat(Chunks.text(both.responses().next())).isEqualTo("b");
            assertThat(joined.isDone()).isFalse();
            both.requests().close();
            assertThat(both.responses().hasNext()).isFalse();
            get(joined);
        }
    }

    @Test
    void shouldStopOnlyTheWriterOfASlowReader() throws Exception {
        CountDownLatch full = new CountDownLatch(1);
        AtomicInteger written = new AtomicInteger();
        Chunk large = Chunk.newBuilder().setData(ByteString.copyFrom(new byte[100_000])).build();
        StreamServiceClient client =
                client(
                        new Chunks() {
                            @Override
                            public void down(Call call, Chunk chunk, StreamWriter<Chunk> responses)
                                    throws Exception {
                                if (!chunk.getData().isEmpty()) {
                                    super.down(call, chunk, responses);
                                    return;
                                }
                                while (responses.tryWrite(large)) {
                                    written.incrementAndGet();
                                }
                                full.countDown();
                                responses.write(large);
                            }
                        });

        try (StreamReader<Chunk> slow = client.down(Chunk.getDefaultInstance())) {
            await(full);
            for (int i = 0; i < 20; i++) {
                assertThat(Chunks.read(client.down(Chunks.of(100)))).hasSize(100);
            }
            int total = 0;
            while (slow.hasNext()) {
                assertThat(slow.next()).isEqualTo(large);
                total++;
            }
            assertThat(total).isEqualTo(written.get() + 1);
        }
    }

    @Test
    void shouldCarryAThousandStreamsOnAConnection() throws Exception {
        int count = RpcFixture.rounds(1000);
        StreamServiceClient client = client(new Chunks());
        List<BidirectionalCall<Chunk, Chunk>> calls = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            calls.add(client.both());
        }
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < count; i++) {
                calls.get(i).requests().write(Chunks.of(i + round));
            }
            for (int i = 0; i < count; i++) {
                assertThat(Chunks.number(calls.get(i).responses().next())).isEqualTo(i + round);
            }
        }
        for (BidirectionalCall<Chunk, Chunk> call : calls) {
            call.requests().close();
        }
        for (BidirectionalCall<Chunk, Chunk> call : calls) {
            assertThat(call.responses().hasNext()).isFalse();
        }
        RpcFixture.eventually(() -> server.concurrency() == 0, () -> "still running");
    }

    @Test
    void shouldFailCallsWithoutStreams() {
        client(new Chunks());

        assertThatThrownBy(() -> channel.call(StreamService.Methods.DOWN, Chunks.of(1)))
                .isInstanceOf(RpcException.class)
                .hasMessageContaining("EREQUEST (1003)");
    }

    @Test
    void shouldFailListenersThatThrowAndNothingElse() throws Exception {
        StreamServiceClient client = client(new Chunks());
        CompletableFuture<Integer> code = new CompletableFuture<>();
        try (ClientCall call = channel.newCall()) {
            client.downAsync(
                    Chunks.of(MANY),
                    call,
                    new StreamListener<Chunk>() {
                        @Override
                        public void onMessage(Chunk message) {
                            throw new StackOverflowError();
                        }

                        @Override
                        public void onFailure(RpcException failure) {
                            code.complete(failure.code());
                            throw new IllegalStateException("again");
                        }
                    });
            assertThat(get(code)).isEqualTo(RpcError.EINTERNAL.code());
        }

        assertThat(Chunks.read(client.down(Chunks.of(10)))).hasSize(10);
        RpcFixture.eventually(() -> server.concurrency() == 0, () -> "still running");
    }
}
