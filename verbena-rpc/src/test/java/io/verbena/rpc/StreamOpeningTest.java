// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.IOBuf;
import io.verbena.protoc.test.streams.Chunk;
import io.verbena.protoc.test.streams.StreamServiceClient;
import io.verbena.transport.SocketMode;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What either side does with a stream before the other knows it. */
@ParameterizedClass
@EnumSource(SocketMode.class)
@Timeout(120)
class StreamOpeningTest {
    private final SocketMode mode;
    private final RpcFixture fixture;
    private Server server;
    private Channel channel;

    StreamOpeningTest(SocketMode mode) {
        this.mode = mode;
        this.fixture = new RpcFixture(mode);
    }

    @AfterEach
    void close() {
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

    /** Accepts a stream when the test says so. */
    private static final class Waiting extends Chunks {
        private final CountDownLatch entered = new CountDownLatch(1);
        private final CountDownLatch leaving = new CountDownLatch(1);
        private final CompletableFuture<Integer> messages = new CompletableFuture<>();

        @Override
        public Chunk one(Call call, Chunk chunk) {
            entered.countDown();
            await(leaving);
            call.acceptStream(
                    ByteStreamOptions.DEFAULT.withHandler(
                            new ByteStreamHandler() {
                                private int heard;

                                @Override
                                public void onMessages(ByteStream stream, List<IOBuf> batch) {
                                    heard += batch.size();
                                }

                                @Override
                                public void onClosed(ByteStream stream) {
                                    messages.complete(heard);
                                }
                            }));
            return chunk;
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(60, TimeUnit.SECONDS);
    }

    @Test
    void shouldEndRequestsThatEndedBeforeTheConnectionWasOpen() {
        StreamServiceClient client = client(new Chunks());

        for (int i = 0; i < 20; i++) {
            try (ClientStreamCall<Chunk, Chunk> up = client.up()) {
                assertThat(Chunks.text(up.finish())).isEmpty();
            }
        }
        RpcFixture.eventually(() -> server.concurrency() == 0, () -> "still running");
    }

    @Test
    void shouldTellTheServerOfAStreamThatWasClosedBeforeTheResponse() throws Exception {
        Waiting service = new Waiting();
        StreamServiceClient client = client(service);
        try (ClientCall call = channel.newCall()) {
            ByteStream stream = call.createStream(ByteStreamOptions.DEFAULT);
            CompletableFuture<Chunk> response = client.oneAsync(Chunks.of("x"), call);
            await(service.entered);
            stream.close();
            service.leaving.countDown();

            assertThat(Chunks.text(get(response))).isEqualTo("x");
            assertThat(get(service.messages)).isZero();
        }
    }

    @Test
    void shouldCloseAStreamThatWasClosedBeforeItsCall() throws Exception {
        Waiting service = new Waiting();
        service.leaving.countDown();
        StreamServiceClient client = client(service);
        try (ClientCall call = channel.newCall()) {
            call.createStream(ByteStreamOptions.DEFAULT).close();

            assertThat(Chunks.text(client.one(Chunks.of("x"), call))).isEqualTo("x");
            assertThat(get(service.messages)).isZero();
        }
    }

    @Test
    void shouldDeliverWhatAServiceWroteAndClosedBeforeItsResponse() {
        StreamServiceClient client =
                client(
                        new Chunks() {
                            @Override
                            public Chunk one(Call call, Chunk chunk) {
                                try (ByteStream stream =
                                        call.acceptStream(ByteStreamOptions.DEFAULT)) {
                                    stream.write(fixture.serverSide.pool.buffer().append("early"));
                                    stream.write(fixture.serverSide.pool.buffer().append("bird"));
                                }
                                return chunk;
                            }
                        });
        try (ClientCall call = channel.newCall();
                ByteStream stream = call.createStream(ByteStreamOptions.DEFAULT);
                IOBuf target = fixture.clientSide.pool.buffer()) {
            client.one(Chunks.of("x"), call);

            assertThat(stream.read(target)).isTrue();
            assertThat(stream.read(target)).isTrue();
            assertThat(target.toText()).isEqualTo("earlybird");
            assertThat(stream.read(target)).isFalse();
        }
    }

    @Test
    void shouldCancelTheServiceOfACallThatEndedBeforeItWasAnswered() throws Exception {
        CountDownLatch leaving = new CountDownLatch(1);
        CompletableFuture<Integer> code = new CompletableFuture<>();
        StreamServiceClient client =
                client(
                        new Chunks() {
                            @Override
                            public Chunk up(Call call, StreamReader<Chunk> requests) {
                                try {
                                    requests.hasNext();
                                } catch (RpcException e) {
                                    code.complete(e.code());
                                }
                                leaving.countDown();
                                return Chunks.of("late");
                            }
                        });
        // the connection is still being opened
        client.up().close();
        try (ClientStreamCall<Chunk, Chunk> up = client.up()) {
            up.requests().write(Chunks.of("open"));
        }

        await(leaving);
        assertThat(get(code)).isEqualTo(RpcError.ECANCELED.code());
        RpcFixture.eventually(() -> server.concurrency() == 0, () -> "still running");
    }

    @Test
    void shouldDropAResponseThatNobodyHasReadWhenTheCallIsClosed() {
        StreamServiceClient client =
                client(
                        new Chunks() {
                            @Override
                            public Chunk up(Call call, StreamReader<Chunk> requests) {
                                requests.next();
                                return Chunks.of("unread");
                            }
                        });
        try (ClientStreamCall<Chunk, Chunk> up = client.up()) {
            up.requests().write(Chunks.of("open"));
            RpcFixture.eventually(() -> server.concurrency() == 0, () -> "still running");
            // answered behind the end of the first call, which is over then
            assertThat(Chunks.text(client.one(Chunks.of("next")))).isEqualTo("next");
        }
    }

    @Test
    void shouldDropWhatAListenerDidNotReadAfterTheEnd() throws Exception {
        StreamServiceClient client = client(new Chunks());
        CompletableFuture<Integer> code = new CompletableFuture<>();
        try (ClientCall call = channel.newCall()) {
            client.downAsync(
                    Chunks.of(1000),
                    call,
                    new StreamListener<Chunk>() {
                        @Override
                        public void onMessage(Chunk message) {
                            RpcFixture.eventually(
                                    () -> server.concurrency() == 0, () -> "still running");
                            // it arrives behind the end of the first call
                            assertThat(Chunks.read(client.down(Chunks.of(1)))).hasSize(1);
                            throw new IllegalStateException("enough");
                        }

                        @Override
                        public void onFailure(RpcException failure) {
                            code.complete(failure.code());
                        }
                    });
            assertThat(get(code)).isEqualTo(RpcError.EINTERNAL.code());
        }
    }
}
