// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.IOBuf;
import io.verbena.protoc.test.streams.Chunk;
import io.verbena.rpc.wire.StreamMeta;
import io.verbena.rpc.wire.proto.StreamSettings;
import io.verbena.testing.Seeds;
import io.verbena.transport.SocketMode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Stream frames of a peer that errs or lies: at most its own stream, or connection, ends. */
@Timeout(120)
class StreamGarbageTest {
    private static final long MINE = 77;

    private final RpcFixture fixture = new RpcFixture(SocketMode.TCP);
    private final Queue<RpcException> failures = new ConcurrentLinkedQueue<>();
    private final CountDownLatch release = new CountDownLatch(1);
    private volatile boolean isStuck;
    private RawStreams client;
    private Server server;

    /** Echoes, or does not return. */
    private final class Echo implements ByteStreamHandler {
        @Override
        public void onMessages(ByteStream stream, List<IOBuf> messages) {
            if (isStuck) {
                try {
                    release.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                return;
            }
            messages.forEach(stream::write);
        }

        @Override
        public void onFailed(ByteStream stream, RpcException failure) {
            failures.add(failure);
        }
    }

    @BeforeEach
    void start() throws IOException {
        server =
                fixture.closing(
                        new Server(fixture.serverSide.node)
                                .add(
                                        new Chunks() {
                                            @Override
                                            public Chunk one(Call call, Chunk chunk) {
                                                while (call.offeredStreams() > 0) {
                                                    call.acceptStream(
                                                            ByteStreamOptions.DEFAULT.withHandler(
                                                                    new Echo()));
                                                }
                                                return chunk;
                                            }
                                        })
                                .start(RpcFixture.anyPort(), ServerOptions.DEFAULT));
        client = new RawStreams(server.address().getPort());
    }

    @AfterEach
    void close() throws IOException {
        release.countDown();
        client.close();
        fixture.close();
    }

    private long open() throws IOException {
        return open(client, MINE);
    }

    private static long open(RawStreams on, long mine) throws IOException {
        return on.call(mine).response(mine).getStreamSettings().getStreamId();
    }

    private void expectEcho(long theirs, String text) throws IOException {
        client.data(theirs, MINE, text);
        RawStreams.Frame echo = client.receiveOther();
        assertThat(new String(echo.data(), StandardCharsets.UTF_8)).isEqualTo(text);
        assertThat(echo.streamId()).isEqualTo(MINE);
        assertThat(echo.source()).isEqualTo(theirs);
    }

    private void expectRst(long id) throws IOException {
        RawStreams.Frame frame = client.receiveOther();
        assertThat(frame.type()).isEqualTo(StreamMeta.RST);
        assertThat(frame.streamId()).isEqualTo(id);
        assertThat(frame.source()).isEqualTo(-1);
    }

    private void expectFailure(RpcError error) {
        RpcFixture.eventually(() -> !failures.isEmpty(), () -> "no failure");
        assertThat(failures.peek().code()).isEqualTo(error.code());
    }

    @Test
    void shouldEchoAndPairSeveralStreamsByPosition() throws IOException {
        StreamSettings settings = client.call(10, 11, 12).response(10).getStreamSettings();
        assertThat(settings.getExtraStreamIdsList()).hasSize(2);

        client.data(settings.getExtraStreamIds(1), 12, "third");
        RawStreams.Frame echo = client.receiveOther();
        assertThat(echo.streamId()).isEqualTo(12);
    }

    @Test
    void shouldRefuseFramesOfUnknownStreams() throws IOException {
        long theirs = open();
        client.data(4711, 5, "x");
        expectRst(5);
        client.send(RawStreams.frame(StreamMeta.CLOSE, 4711, 6, 0, new byte[0]));
        expectRst(6);
        // no answer to these
        client.feedback(4711, 7, 1);
        client.send(RawStreams.frame(StreamMeta.RST, 4711, -1, 0, new byte[0]));
        client.send(RawStreams.frame(9, theirs, MINE, 0, new byte[0]));

        expectEcho(theirs, "still there");
    }

    @Test
    void shouldResetAStreamWhoseFeedbackLies() throws IOException {
        long theirs = open();
        expectEcho(theirs, "four");
        client.feedback(theirs, MINE, 3);
        client.feedback(theirs, MINE, 1); // goes back: says nothing new
        expectEcho(theirs, "more");
        client.feedback(theirs, MINE, 1000);
        expectRst(MINE);
        expectFailure(RpcError.EPROTO);

        long next = open(client, 78);
        client.feedback(next, 78, -5);
        expectRst(78);
    }

    @Test
    void shouldRefuseDataAfterClose() throws IOException {
        long theirs = open();
        client.send(RawStreams.frame(StreamMeta.CLOSE, theirs, MINE, 0, new byte[0]));
        client.data(theirs, MINE, "late");
        expectRst(MINE);
        assertThat(failures).isEmpty();
    }

    @Test
    void shouldRefuseTheIdsOfAnotherConnection() throws IOException {
        long theirs = open();
        try (RawStreams other = new RawStreams(server.address().getPort())) {
            open(other, 99);
            other.data(theirs, 99, "stolen");
            assertThat(other.receiveOther().type()).isEqualTo(StreamMeta.RST);
        }
        expectEcho(theirs, "mine");
    }

    @Test
    void shouldBoundWhatAPeerSendsBeyondTheWindow() throws IOException {
        fixture.serverSide.node.flags().set(RpcFlag.MAX_BODY_SIZE, 100_000L);
        fixture.serverSide.node.flags().set(RpcFlag.STREAM_MAX_UNREAD_BYTES, 300_000L);
        isStuck = true;
        long theirs = open();
        byte[] data = new byte[50_000];
        for (int i = 0; i < 20; i++) {
            client.send(RawStreams.frame(StreamMeta.DATA, theirs, MINE, 0, data));
        }
        expectRst(MINE);
        release.countDown();
        expectFailure(RpcError.EOVERCROWDED);
    }

    @Test
    void shouldBoundEmptyMessages() throws IOException {
        fixture.serverSide.node.flags().set(RpcFlag.MAX_BODY_SIZE, 100_000L);
        fixture.serverSide.node.flags().set(RpcFlag.STREAM_MAX_UNREAD_BYTES, 1024L);
        isStuck = true;
        long theirs = open();
        for (int i = 0; i < 5000; i++) {
            client.send(RawStreams.frame(StreamMeta.DATA, theirs, MINE, 0, new byte[0]));
        }
        expectRst(MINE);
    }

    @Test
    void shouldBoundAMessageInSegments() throws IOException {
        fixture.serverSide.node.flags().set(RpcFlag.MAX_BODY_SIZE, 100_000L);
        long theirs = open();
        byte[] data = new byte[30_000];
        for (int i = 0; i < 5; i++) {
            client.send(RawStreams.frame(StreamMeta.DATA, theirs, MINE, 1, data));
        }
        expectRst(MINE);
    }

    @Test
    void shouldJoinSegments() throws IOException {
        long theirs = open();
        client.send(
                RawStreams.frame(
                        StreamMeta.DATA, theirs, MINE, 1, "ab".getBytes(StandardCharsets.UTF_8)));
        client.send(RawStreams.frame(StreamMeta.DATA, theirs, MINE, 1, new byte[0]));
        client.send(
                RawStreams.frame(
                        StreamMeta.DATA, theirs, MINE, 0, "c".getBytes(StandardCharsets.UTF_8)));
        assertThat(client.receiveOther().data()).isEqualTo("abc".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void shouldSkipAFrameThatIsTooLarge() throws IOException {
        fixture.serverSide.node.flags().set(RpcFlag.MAX_BODY_SIZE, 100_000L);
        long theirs = open();
        client.send(RawStreams.frame(StreamMeta.DATA, theirs, MINE, 0, new byte[300_000]));
        expectRst(MINE);
        expectEcho(open(client, MINE), "next");
    }

    @Test
    void shouldCloseTheConnectionOfABrokenMeta() throws IOException {
        open();
        client.send(RawStreams.frame(new byte[] {(byte) 0xff, 1, 2}, new byte[0], 0));
        assertThat(client.isClosedByServer()).isTrue();
    }

    @Test
    void shouldNotOpenMoreStreamsThanACallMay() throws IOException {
        client.call(LongStream.range(1, 3000).toArray());
        // taken as a call without streams: answered as such
        assertThat(client.isClosedByServer()).isFalse();
    }

    /** {@code -Dverbena.fuzz=5000000} runs it for long. */
    @Test
    void shouldSurviveMutatedFrames() throws IOException {
        int connections = Math.clamp(Long.getLong("verbena.fuzz", 50_000) / 1000, 5, 5000);
        Random random = new Random(Seeds.next("StreamGarbageTest"));
        for (int i = 0; i < connections; i++) {
            try (RawStreams fuzzing = new RawStreams(server.address().getPort())) {
                long theirs = open(fuzzing, MINE);
                for (int j = 0; j < 50; j++) {
                    byte[] bytes =
                            RawStreams.frame(
                                    1 + random.nextInt(4),
                                    random.nextInt(4) == 0 ? random.nextLong() : theirs,
                                    random.nextInt(3) == 0 ? -1 : MINE,
                                    random.nextInt(3) == 0 ? random.nextLong() : 0,
                                    new byte[random.nextInt(100)]);
                    if (random.nextInt(10) == 0) {
                        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
                    }
                    fuzzing.send(bytes);
                }
            } catch (IOException e) {
                assertThat(e).isNotNull(); // the server has closed the connection
            }
        }
        expectEcho(open(), "alive");
    }
}
