// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.memory.IOBuf;
import io.verbena.protoc.test.streams.Chunk;
import io.verbena.protoc.test.streams.StreamServiceClient;
import io.verbena.transport.SocketMode;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Streams of bytes, end to end. */
@ParameterizedClass
@EnumSource(SocketMode.class)
@Timeout(120)
class ByteStreamTest {
    private final SocketMode mode;
    private final RpcFixture fixture;
    private Channel channel;

    ByteStreamTest(SocketMode mode) {
        this.mode = mode;
        this.fixture = new RpcFixture(mode);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    /** What the service does with its call. */
    private interface Accepting {
        void accept(Call call);
    }

    private StreamServiceClient client(Accepting accepting) {
        Server server =
                fixture.closing(
                        new Server(fixture.serverSide.node)
                                .add(
                                        new Chunks() {
                                            @Override
                                            public Chunk one(Call call, Chunk chunk) {
                                                accepting.accept(call);
                                                return chunk;
                                            }
                                        })
                                .start(
                                        RpcFixture.anyPort(),
                                        ServerOptions.DEFAULT.withSocketMode(mode)));
        channel = fixture.channel(server, RpcFixture.PATIENT.withSocketMode(mode));
        return new StreamServiceClient(channel);
    }

    private static ByteStreamOptions echo() {
        return ByteStreamOptions.DEFAULT.withHandler(
                (stream, messages) -> messages.forEach(stream::write));
    }

    private IOBuf message(String text) {
        return fixture.clientSide.pool.buffer().append(text);
    }

    private String read(ByteStream stream) {
        try (IOBuf target = fixture.clientSide.pool.buffer()) {
            assertThat(stream.read(target)).isTrue();
            return target.toText();
        }
    }

    @Test
    void shouldEchoInOrder() {
        StreamServiceClient client = client(call -> call.acceptStream(echo()));
        try (ClientCall call = channel.newCall();
                ByteStream stream = call.createStream(ByteStreamOptions.DEFAULT)) {
            client.one(Chunks.of("x"), call);
            for (int i = 0; i < 2000; i++) {
                stream.write(message("m" + i));
            }
            for (int i = 0; i < 2000; i++) {
                assertThat(read(stream)).isEqualTo("m" + i);
            }
        }
    }

    @Test
    void shouldOpenSeveralStreamsInOneCall() {
        StreamServiceClient client =
                client(
                        call -> {
                            while (call.offeredStreams() > 0) {
                                call.acceptStream(echo());
                            }
                        });
        try (ClientCall call = channel.newCall();
                ByteStream first = call.createStream(ByteStreamOptions.DEFAULT);
                ByteStream second = call.createStream(ByteStreamOptions.DEFAULT);
                ByteStream third = call.createStream(ByteStreamOptions.DEFAULT)) {
            client.one(Chunks.of("x"), call);
            third.write(message("3"));
            first.write(message("1"));
            second.write(message("2"));

            assertThat(read(first) + read(second) + read(third)).isEqualTo("123");
        }
    }

    @Test
    void shouldWriteBeforeTheResponse() {
        StreamServiceClient client =
                client(
                        call -> {
                            ByteStream stream = call.acceptStream(ByteStreamOptions.DEFAULT);
                            stream.write(fixture.serverSide.pool.buffer().append("early"));
                            stream.write(fixture.serverSide.pool.buffer().append("bird"));
                        });
        try (ClientCall call = channel.newCall();
                ByteStream stream = call.createStream(ByteStreamOptions.DEFAULT)) {
            client.one(Chunks.of("x"), call);
            assertThat(read(stream) + read(stream)).isEqualTo("earlybird");
        }
    }

    @Test
    void shouldSplitLongMessagesIntoSegments() {
        fixture.clientSide.node.flags().set(RpcFlag.STREAM_WRITE_MAX_SEGMENT_SIZE, 1000L);
        fixture.serverSide.node.flags().set(RpcFlag.STREAM_WRITE_MAX_SEGMENT_SIZE, 1500L);
        StreamServiceClient client = client(call -> call.acceptStream(echo()));
        String text = "0123456789".repeat(1234);
        try (ClientCall call = channel.newCall();
                ByteStream stream = call.createStream(ByteStreamOptions.DEFAULT)) {
            client.one(Chunks.of("x"), call);
            stream.write(message(text));
            stream.write(message(""));
            stream.write(message("end"));

            assertThat(read(stream)).isEqualTo(text);
            assertThat(read(stream)).isEmpty();
            assertThat(read(stream)).isEqualTo("end");
        }
    }

    @Test
    void shouldStopAtTheWindowUntilThePeerHasConsumed() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        AtomicInteger consumed = new AtomicInteger();
        StreamServiceClient client =
                client(
                        call ->
                                call.acceptStream(
                                        ByteStreamOptions.DEFAULT.withHandler(
                                                (stream, messages) -> {
                                                    try {
                                                        release.await();
                                                    } catch (InterruptedException e) {
                                                        Thread.currentThread().interrupt();
                                                    }
                                                    consumed.addAndGet(messages.size());
                                                })));
        try (ClientCall call = channel.newCall();
                ByteStream stream =
                        call.createStream(ByteStreamOptions.DEFAULT.withBufSizes(0, 1000))) {
            client.one(Chunks.of("x"), call);
            IOBuf tenth = message("0123456789".repeat(10));
            int written = 0;
            while (stream.tryWrite(tenth)) {
                written++;
                tenth = message("0123456789".repeat(10));
            }
            assertThat(written).isEqualTo(10);
            assertThat(tenth.size()).isEqualTo(100);
            tenth.close();
            CompletableFuture<Void> writable = new CompletableFuture<>();
            stream.onWritable(() -> writable.complete(null));
            release.countDown();
            writable.get(60, TimeUnit.SECONDS);
            for (int i = 0; i < 500; i++) {
                stream.write(message("0123456789".repeat(10)));
            }
            RpcFixture.eventually(() -> consumed.get() == 510, () -> consumed + " consumed");
        }
    }

    @Test
    void shouldEndWhenEitherSideCloses() throws Exception {
        CompletableFuture<ByteStream> accepted = new CompletableFuture<>();
        CountDownLatch closed = new CountDownLatch(1);
        StreamServiceClient client =
                client(
                        call ->
                                accepted.complete(
                                        call.acceptStream(
                                                ByteStreamOptions.DEFAULT.withHandler(
                                                        new ByteStreamHandler() {
                                                            @Override
                                                            public void onMessages(
                                                                    ByteStream stream,
                                                                    List<IOBuf> messages) {
                                                                stream.close();
                                                            }

                                                            @Override
                                                            public void onClosed(
                                                                    ByteStream stream) {
                                                                closed.countDown();
                                                            }
                                                        }))));
        try (ClientCall call = channel.newCall();
                ByteStream stream = call.createStream(ByteStreamOptions.DEFAULT);
                IOBuf target = fixture.clientSide.pool.buffer()) {
            client.one(Chunks.of("x"), call);
            stream.write(message("close"));

            assertThat(stream.read(target)).isFalse();
            assertThat(closed.await(60, TimeUnit.SECONDS)).isTrue();
            try (IOBuf late = message("late")) {
                assertThatThrownBy(() -> stream.write(late)).isInstanceOf(RpcException.class);
            }
            assertThat(accepted.get().isClosed()).isTrue();
        }
    }

    @Test
    void shouldFailIfTheServerDoesNotAccept() {
        StreamServiceClient client = client(call -> {});
        try (ClientCall call = channel.newCall();
                ByteStream stream = call.createStream(ByteStreamOptions.DEFAULT);
                IOBuf target = fixture.clientSide.pool.buffer()) {
            assertThatThrownBy(() -> client.one(Chunks.of("x"), call))
                    .isInstanceOf(RpcException.class)
                    .hasMessageContaining("EREQUEST (1003)");
            assertThatThrownBy(() -> stream.read(target)).isInstanceOf(RpcException.class);
        }
    }

    @Test
    void shouldTellOfAConnectionThatEnds() throws Exception {
        CompletableFuture<Integer> code = new CompletableFuture<>();
        StreamServiceClient client =
                client(
                        call ->
                                call.acceptStream(
                                        ByteStreamOptions.DEFAULT.withHandler(
                                                new ByteStreamHandler() {
                                                    @Override
                                                    public void onMessages(
                                                            ByteStream stream,
                                                            List<IOBuf> messages) {}

                                                    @Override
                                                    public void onFailed(
                                                            ByteStream stream,
                                                            RpcException failure) {
                                                        code.complete(failure.code());
                                                    }
                                                })));
        ClientCall call = channel.newCall();
        ByteStream stream = call.createStream(ByteStreamOptions.DEFAULT);
        client.one(Chunks.of("x"), call);
        channel.close();

        assertThat(code.get(60, TimeUnit.SECONDS)).isNotZero();
        try (IOBuf target = fixture.clientSide.pool.buffer()) {
            assertThatThrownBy(() -> stream.read(target)).isInstanceOf(RpcException.class);
        }
    }

    @Test
    void shouldTellOfSilence() throws Exception {
        CountDownLatch idle = new CountDownLatch(2);
        StreamServiceClient client =
                client(
                        call ->
                                call.acceptStream(
                                        ByteStreamOptions.DEFAULT
                                                .withIdleTimeoutMs(20)
                                                .withHandler(
                                                        new ByteStreamHandler() {
                                                            @Override
                                                            public void onMessages(
                                                                    ByteStream stream,
                                                                    List<IOBuf> messages) {}

                                                            @Override
                                                            public void onIdle(ByteStream stream) {
                                                                idle.countDown();
                                                            }
                                                        })));
        try (ClientCall call = channel.newCall();
                ByteStream stream = call.createStream(ByteStreamOptions.DEFAULT)) {
            client.one(Chunks.of("x"), call);
            assertThat(idle.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(stream.isClosed()).isFalse();
        }
    }

    @Test
    void shouldRefuseAnIdleTimeoutThatIsNone() {
        for (long timeoutMs : new long[] {0, -2}) {
            assertThatThrownBy(() -> ByteStreamOptions.DEFAULT.withIdleTimeoutMs(timeoutMs))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("idle_timeout_ms: " + timeoutMs + " (expected: -1, or 1 or more)");
        }
    }

    @Test
    void shouldEndTheStreamOfAHandlerThatThrows() {
        StreamServiceClient client =
                client(
                        call ->
                                call.acceptStream(
                                        ByteStreamOptions.DEFAULT.withHandler(
                                                (stream, messages) -> {
                                                    throw new IllegalStateException("broken");
                                                })));
        try (ClientCall call = channel.newCall();
                ByteStream stream = call.createStream(ByteStreamOptions.DEFAULT);
                IOBuf target = fixture.clientSide.pool.buffer()) {
            client.one(Chunks.of("x"), call);
            stream.write(message("x"));
            assertThat(stream.read(target)).isFalse();
            assertThat(Chunks.read(client.down(Chunks.of(3)))).hasSize(3);
        }
    }

    @Test
    void shouldNarrowWindowsWhenAConnectionHasTooMuchUnconsumed() {
        fixture.clientSide.node.flags().set(RpcFlag.SOCKET_MAX_STREAMS_UNCONSUMED_BYTES, 10_000L);
        StreamServiceClient client = client(call -> call.acceptStream(echo()));
        try (ClientCall call = channel.newCall();
                ByteStream stream =
                        call.createStream(ByteStreamOptions.DEFAULT.withBufSizes(500, 100_000))) {
            client.one(Chunks.of("x"), call);
            for (int i = 0; i < 300; i++) {
                stream.write(message("0123456789".repeat(20)));
            }
            for (int i = 0; i < 300; i++) {
                assertThat(read(stream)).hasSize(200);
            }
        }
    }
}
