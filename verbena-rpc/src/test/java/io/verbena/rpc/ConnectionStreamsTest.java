// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.BlockPool;
import io.verbena.memory.BlockPoolOptions;
import io.verbena.memory.IOBuf;
import io.verbena.rpc.wire.FrameCutter;
import io.verbena.rpc.wire.StreamCutter;
import io.verbena.rpc.wire.StreamMeta;
import io.verbena.rpc.wire.StreamSettings;
import io.verbena.testing.Eventually;
import io.verbena.transport.Connection;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The streams of a connection that a test plays. */
class ConnectionStreamsTest {
    private static final long MUCH = 1L << 30;

    private final BlockPool pool = BlockPool.unregistered(BlockPoolOptions.DEFAULT);
    private final StreamTimer timer = new StreamTimer();
    private final AtomicLong unwritten = new AtomicLong();
    private final StreamCutter cutter = new StreamCutter();

    /** The types of the frames that were written, by the test's thread. */
    private final List<Integer> written = new ArrayList<>();

    private final ConnectionStreams streams =
            new ConnectionStreams(new Played(), new StreamContext(pool, new RpcFlags(), timer));

    @AfterEach
    void close() {
        timer.stop();
        pool.close();
    }

    /** A connection of which only what waits is asked. */
    private final class Played implements ConnectionStreams.Wire {
        private final Connection connection =
                (Connection)
                        Proxy.newProxyInstance(
                                Connection.class.getClassLoader(),
                                new Class<?>[] {Connection.class},
                                (_, method, _) ->
                                        switch (method.getName()) {
                                            case "unwrittenBytes" -> unwritten.get();
                                            case "toString" -> "a connection";
                                            default ->
                                                    throw new UnsupportedOperationException(
                                                            method.getName());
                                        });

        @Override
        public void writeStream(IOBuf frame) {
            FrameCutter.Result result = cutter.next(frame, MUCH);
            assertThat(result).isEqualTo(FrameCutter.Result.READY);
            written.add(cutter.meta().frameType());
            frame.clear();
        }

        @Override
        public void onResponse(IOBuf response) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Connection connection() {
            return connection;
        }
    }

    /** Counts what it is told. */
    private static class Watcher implements StreamWatcher {
        final AtomicInteger writable = new AtomicInteger();
        final AtomicInteger ended = new AtomicInteger();

        @Override
        public void onReadable() {}

        @Override
        public void onWritable() {
            writable.incrementAndGet();
        }

        @Override
        public void onEnded(Optional<RpcException> failure) {
            ended.incrementAndGet();
        }
    }

    private static final class Throwing extends Watcher {
        @Override
        public void onWritable() {
            throw new IllegalStateException("as told");
        }

        @Override
        public void onEnded(Optional<RpcException> failure) {
            throw new IllegalStateException("as told");
        }
    }

    @Test
    void shouldTellAStreamOnceHoweverOftenItHasAsked() {
        Watcher often = new Watcher();
        Watcher last = new Watcher();
        unwritten.set(MUCH);
        for (int i = 0; i < 1000; i++) {
            assertThat(streams.isCrowded(often)).isTrue();
        }

        unwritten.set(0);
        Eventually.become(() -> often.writable.get() > 0, () -> "not told");
        unwritten.set(MUCH);
        assertThat(streams.isCrowded(last)).isTrue();
        unwritten.set(0);
        Eventually.become(() -> last.writable.get() > 0, () -> "not told");

        assertThat(often.writable).hasValue(1);
    }

    /** Told on the thread that reads from the connection, where telling without end stops it. */
    @Test
    void shouldTellStreamsOnceThatHaveToWaitAgainAtOnce() {
        List<Watcher> crowd = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            crowd.add(
                    new Watcher() {
                        @Override
                        public void onWritable() {
                            super.onWritable();
                            streams.awaitRoom(this);
                        }
                    });
        }
        crowd.forEach(streams::awaitRoom);

        // returns, although there is room and everybody waits for it again
        streams.consumed(0, new StreamWindow(ByteStreamOptions.DEFAULT, false));

        assertThat(crowd).allMatch(watcher -> watcher.writable.get() > 0);
    }

    @Test
    void shouldTellOtherStreamsThatThereIsRoomWhenOneThrows() {
        Watcher first = new Watcher();
        Watcher second = new Watcher();
        unwritten.set(MUCH);
        assertThat(streams.isCrowded(first)).isTrue();
        assertThat(streams.isCrowded(new Throwing())).isTrue();
        assertThat(streams.isCrowded(second)).isTrue();

        unwritten.set(0);

        Eventually.become(
                () -> first.writable.get() == 1 && second.writable.get() == 1, () -> "not told");
    }

    /**
     * The client writes as soon as it has the response. If the handler throws at that, the stream
     * may end before the thread that sent the response has connected it.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldTellThePeerOfAStreamThatFailsBeforeItIsConnected(boolean isClosedBefore) {
        SocketStream stream = streams.accept(ByteStreamOptions.DEFAULT, new Watcher());
        stream.pair(7, new StreamSettings(new long[] {7}, true, true));
        if (isClosedBefore) {
            stream.close();
        }
        stream.fail(RpcError.EINTERNAL.code(), "as told");
        assertThat(written).isEmpty();

        stream.connect();

        assertThat(written).containsExactly(StreamMeta.CLOSE);
    }

    @Test
    void shouldEndOtherStreamsOfAConnectionWhenOneThrows() {
        Watcher first = new Watcher();
        Watcher second = new Watcher();
        streams.accept(ByteStreamOptions.DEFAULT, first);
        streams.accept(ByteStreamOptions.DEFAULT, new Throwing());
        streams.accept(ByteStreamOptions.DEFAULT, second);

        streams.onClose(new TransportException(TransportError.ECLOSE, "as told"));

        assertThat(first.ended).hasValue(1);
        assertThat(second.ended).hasValue(1);
        assertThat(streams.count()).isZero();
    }

    /** What a handler hears of the end. */
    private static final class Listening implements ByteStreamHandler {
        private final CompletableFuture<Optional<RpcException>> end = new CompletableFuture<>();
        private Optional<RpcException> failure = Optional.empty();

        @Override
        public void onMessages(ByteStream stream, List<IOBuf> messages) {}

        @Override
        public void onFailed(ByteStream stream, RpcException reason) {
            failure = Optional.of(reason);
        }

        @Override
        public void onClosed(ByteStream stream) {
            end.complete(failure);
        }
    }

    /** The service's thread is between making the stream and giving it to what the service sees. */
    @Test
    void shouldTellAHandlerWhyAStreamEndedThatIsJustAccepted() throws Exception {
        Listening handler = new Listening();
        ByteStreamOptions options = ByteStreamOptions.DEFAULT.withHandler(handler);
        CallByteStream seen = new CallByteStream(pool, timer, options);
        SocketStream made = streams.accept(options, seen);

        streams.onClose(new TransportException(TransportError.ECLOSE, "as told"));
        Optional<RpcException> heard = handler.end.get(20, TimeUnit.SECONDS);
        seen.accepted(made);

        assertThat(heard.map(RpcException::code)).contains(RpcError.ECLOSE.code());
    }
}
