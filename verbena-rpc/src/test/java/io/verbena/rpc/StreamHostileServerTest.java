// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.memory.IOBuf;
import io.verbena.protoc.test.streams.Chunk;
import io.verbena.protoc.test.streams.StreamService;
import io.verbena.rpc.wire.StreamMeta;
import io.verbena.rpc.wire.proto.RpcMeta;
import io.verbena.transport.SocketMode;
import io.verbena.transport.TransportFlag;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server whose stream frames err or lie: at most the client's stream, or connection, ends. */
@Timeout(120)
class StreamHostileServerTest {
    private static final long THEIRS = 77;
    private static final int SMALL_BUFFER = 8192;
    private static final byte[] NOTHING = {};

    private final RpcFixture fixture =
            new RpcFixture(
                    SocketMode.TCP,
                    RpcFixture.FLAGS.with(TransportFlag.SOCKET_MAX_UNWRITTEN_BYTES, 1 << 16));
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final ServerSocket listener = new ServerSocket();
    private Channel channel;
    private RawStreams server;
    private Opened latest;

    /** A stream of our client, and the id that the server knows it by. */
    private record Opened(ByteStream stream, long id, CompletableFuture<Chunk> answer) {}

    StreamHostileServerTest() throws IOException {
        listener.setReceiveBufferSize(SMALL_BUFFER);
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    @BeforeEach
    void open() throws IOException {
        channel =
                fixture.closing(
                        Channel.open(
                                fixture.clientSide.node,
                                "127.0.0.1:" + listener.getLocalPort(),
                                RpcFixture.PATIENT.withMaxRetry(0)));
    }

    @AfterEach
    void close() throws Exception {
        while (!opened.isEmpty()) {
            opened.pop().close();
        }
        listener.close();
        fixture.close();
    }

    /** {@return a call with a stream, which becomes the latest; it is not answered} */
    private RpcMeta call(ByteStreamOptions options) throws IOException {
        ClientCall call = channel.newCall();
        ByteStream stream = call.createStream(options);
        CompletableFuture<Chunk> answer =
                channel.callAsync(StreamService.Methods.ONE, Chunks.of("x"), call);
        opened.push(call);
        opened.push(stream);
        if (server == null) {
            server = new RawStreams(listener.accept());
            opened.push(server);
        }
        RpcMeta meta = server.receiveCall();
        latest = new Opened(stream, meta.getStreamSettings().getStreamId(), answer);
        return meta;
    }

    private Opened accepted(long theirs) throws Exception {
        return accepted(ByteStreamOptions.DEFAULT, theirs);
    }

    private Opened accepted(ByteStreamOptions options, long... theirs) throws Exception {
        RpcMeta meta = call(options);
        server.answer(meta, theirs);
        latest.answer().get(60, TimeUnit.SECONDS);
        return latest;
    }

    private IOBuf message(String text) {
        return fixture.clientSide.pool.buffer().append(text);
    }

    private void expectMessage(Opened to, String text) throws IOException {
        server.data(to.id(), THEIRS, text);
        try (IOBuf target = fixture.clientSide.pool.buffer()) {
            assertThat(to.stream().read(target)).isTrue();
            assertThat(target.toText()).isEqualTo(text);
        }
    }

    private void expectRst(long id) throws IOException {
        RawStreams.Frame frame = server.receiveOther();
        assertThat(frame.type()).isEqualTo(StreamMeta.RST);
        assertThat(frame.streamId()).isEqualTo(id);
    }

    private void expectFailure(Opened of, int code, String text) {
        RpcFixture.eventually(() -> of.stream().isClosed(), () -> "the stream lives");
        try (IOBuf written = message("x")) {
            assertThatThrownBy(() -> of.stream().write(written))
                    .isInstanceOfSatisfying(
                            RpcException.class, e -> assertThat(e.code()).isEqualTo(code))
                    .hasMessageContaining(text);
        }
        assertThatThrownBy(() -> drain(of.stream()))
                .isInstanceOfSatisfying(
                        RpcException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    /** {@return how many bytes were read before the end} */
    private long drain(ByteStream stream) {
        long bytes = 0;
        try (IOBuf target = fixture.clientSide.pool.buffer()) {
            while (stream.read(target)) {
                bytes += target.size();
                target.clear();
            }
        }
        return bytes;
    }

    private void expectConnectionLives() throws Exception {
        expectMessage(accepted(THEIRS + 1000), "still there");
    }

    @Test
    void shouldEndAStreamWhosePeerConsumedMoreThanWasSent() throws Exception {
        Opened stream = accepted(THEIRS);
        try (IOBuf written = message("four")) {
            stream.stream().write(written);
        }
        server.receiveOther();
        server.feedback(stream.id(), THEIRS, 4);
        server.feedback(stream.id(), THEIRS, 5);

        expectRst(THEIRS);
        expectFailure(stream, RpcError.EPROTO.code(), "consumed_size: 5");
        expectConnectionLives();
    }

    @Test
    void shouldEndAStreamWhosePeerConsumedLessThanNothing() throws Exception {
        Opened stream = accepted(THEIRS);
        server.feedback(stream.id(), THEIRS, -1);

        expectRst(THEIRS);
        expectFailure(stream, RpcError.EPROTO.code(), "consumed_size: -1");
        expectConnectionLives();
    }

    @Test
    void shouldNotWriteMoreAfterFeedbackThatGoesBack() throws Exception {
        Opened stream = accepted(ByteStreamOptions.DEFAULT.withBufSizes(0, 4), THEIRS);
        try (IOBuf written = message("four")) {
            stream.stream().write(written);
            server.feedback(stream.id(), THEIRS, 4);
            stream.stream().write(written.append("more"));
            server.feedback(stream.id(), THEIRS, 0);
            expectMessage(stream, "after that feedback");

            assertThat(stream.stream().tryWrite(written.append("no room"))).isFalse();
        }
    }

    @Test
    void shouldBoundDataBeyondTheWindow() throws Exception {
        fixture.clientSide.node.flags().set(RpcFlag.MAX_BODY_SIZE, 100_000L);
        fixture.clientSide.node.flags().set(RpcFlag.STREAM_MAX_UNREAD_BYTES, 300_000L);
        Opened stream = accepted(THEIRS);
        byte[] data = new byte[50_000];
        for (int i = 0; i < 40; i++) {
            server.send(RawStreams.frame(StreamMeta.DATA, stream.id(), THEIRS, 0, data));
        }

        expectRst(THEIRS);
        RpcFixture.eventually(() -> stream.stream().isClosed(), () -> "the stream lives");
        assertThat(unread(stream.stream())).isBetween(250_000L, 300_000L);
        expectFailure(stream, RpcError.EOVERCROWDED.code(), "unread");
    }

    /** {@return how many bytes can be read before the stream fails} */
    private long unread(ByteStream stream) {
        long bytes = 0;
        try (IOBuf target = fixture.clientSide.pool.buffer()) {
            while (true) {
                stream.read(target);
                bytes += target.size();
                target.clear();
            }
        } catch (RpcException e) {
            return bytes;
        }
    }

    @Test
    void shouldRefuseDataAfterClose() throws Exception {
        Opened stream = accepted(THEIRS);
        server.data(stream.id(), THEIRS, "last");
        server.send(RawStreams.frame(StreamMeta.CLOSE, stream.id(), THEIRS, 0, NOTHING));
        server.data(stream.id(), THEIRS, "late");

        expectRst(THEIRS);
        assertThat(drain(stream.stream())).isEqualTo(4);
        expectConnectionLives();
    }

    @Test
    void shouldRefuseFramesOfUnknownStreams() throws Exception {
        Opened stream = accepted(THEIRS);
        server.data(4711, 5, "x");
        expectRst(5);
        server.send(RawStreams.frame(StreamMeta.CLOSE, 4711, 6, 0, NOTHING));
        expectRst(6);
        // no answer to these
        server.feedback(4711, 7, 1);
        server.send(RawStreams.frame(StreamMeta.RST, 4711, -1, 0, NOTHING));
        server.send(RawStreams.frame(9, stream.id(), THEIRS, 0, NOTHING));

        expectMessage(stream, "still there");
    }

    @Test
    void shouldSurviveAStormOfResets() throws Exception {
        Opened stream = accepted(THEIRS);
        Opened other = accepted(THEIRS + 1);
        ByteArrayOutputStream storm = new ByteArrayOutputStream();
        for (int i = 0; i < 20_000; i++) {
            storm.writeBytes(RawStreams.frame(StreamMeta.RST, i, -1, 0, NOTHING));
            storm.writeBytes(RawStreams.frame(StreamMeta.RST, stream.id(), -1, 0, NOTHING));
        }
        server.send(storm.toByteArray());

        expectFailure(stream, RpcError.ECONNRESET.code(), "RST");
        expectMessage(other, "still there");
        expectConnectionLives();
    }

    @Test
    void shouldEndTheConnectionOfAServerThatReadsNoRefusals() throws Exception {
        Opened stream = accepted(THEIRS);
        ByteArrayOutputStream flood = new ByteArrayOutputStream();
        for (int i = 0; i < 1000; i++) {
            flood.writeBytes(RawStreams.frame(StreamMeta.DATA, 4711, 5, 0, NOTHING));
        }
        byte[] frames = flood.toByteArray();
        // as much as the system buffers for a server that does not read, and more
        assertThatThrownBy(
                        () -> {
                            for (int i = 0; i < 10_000; i++) {
                                server.send(frames);
                            }
                        })
                .isInstanceOf(IOException.class);

        expectFailure(stream, RpcError.EOVERCROWDED.code(), "");
        server = null;
        expectConnectionLives();
    }

    @Test
    void shouldRefuseMoreStreamsThanItOffered() throws Exception {
        Opened stream = accepted(ByteStreamOptions.DEFAULT, THEIRS, 78, 79);

        expectRst(78);
        expectRst(79);
        expectMessage(stream, "mine");
    }

    @Test
    void shouldFailACallWhoseAnswerIsNone() throws Exception {
        var _ = call(ByteStreamOptions.DEFAULT);
        Opened stream = latest;
        server.data(stream.id(), THEIRS, "this is no response of a call");

        assertThatThrownBy(() -> stream.answer().get(60, TimeUnit.SECONDS))
                .hasCauseInstanceOf(RpcException.class);
        RpcFixture.eventually(() -> stream.stream().isClosed(), () -> "the stream lives");
    }
}
