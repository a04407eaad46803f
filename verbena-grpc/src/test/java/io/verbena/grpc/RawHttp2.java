// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import com.google.protobuf.Message;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersDecoder;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/** A client that writes whatever frames a test wants. */
final class RawHttp2 implements AutoCloseable {
    static final int DATA = 0;
    static final int HEADERS = 1;
    static final int RST_STREAM = 3;
    static final int SETTINGS = 4;
    static final int PING = 6;
    static final int GO_AWAY = 7;
    static final int WINDOW_UPDATE = 8;
    static final int CONTINUATION = 9;
    static final int END_STREAM = 1;
    static final int END_HEADERS = 4;

    /** The connection ended without a GOAWAY that could be read. */
    static final long ENDED = -1;

    static final byte[] PREFACE = ByteBufUtil.getBytes(Http2CodecUtil.connectionPrefaceBuf());

    private static final int MAX_WAIT_MS = 20_000;

    private final Http2HeadersDecoder decoder = new DefaultHttp2HeadersDecoder();
    private final Socket socket;
    private final OutputStream out;
    private final DataInputStream in;
    private final ByteArrayOutputStream unsent = new ByteArrayOutputStream();

    RawHttp2(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(MAX_WAIT_MS);
        out = socket.getOutputStream();
        in = new DataInputStream(socket.getInputStream());
    }

    /** {@return a client that has begun as it should} */
    static RawHttp2 open(int port) throws IOException {
        RawHttp2 client = new RawHttp2(port);
        client.bytes(PREFACE);
        client.frame(SETTINGS, 0, 0, new byte[0]);
        return client;
    }

    static byte[] frameBytes(int type, int flags, int stream, byte[] payload) {
        return ByteBuffer.allocate(Http2CodecUtil.FRAME_HEADER_LENGTH + payload.length)
                .put((byte) (payload.length >> 16))
                .putShort((short) payload.length)
                .put((byte) type)
                .put((byte) flags)
                .putInt(stream)
                .put(payload)
                .array();
    }

    static byte[] request(String path) {
        Http2Headers headers = new DefaultHttp2Headers();
        headers.method("POST");
        headers.scheme("http");
        headers.path(path);
        headers.set("te", "trailers");
        headers.set("content-type", "application/grpc");
        return encode(headers);
    }

    static byte[] encode(Http2Headers headers) {
        ByteBuf block = Unpooled.buffer();
        try {
            // without a table: each block stands for itself
            new DefaultHttp2HeadersEncoder((name, value) -> true, true, 16)
                    .encodeHeaders(1, headers, block);
        } catch (Http2Exception e) {
            throw new AssertionError(e);
        }
        return ByteBufUtil.getBytes(block);
    }

    /** {@return a message of gRPC} */
    static byte[] message(Message message) {
        byte[] body = message.toByteArray();
        return ByteBuffer.allocate(MessageReader.PREFIX_LENGTH + body.length)
                .put((byte) 0)
                .putInt(body.length)
                .put(body)
                .array();
    }

    /** Lets the server send so many bytes on each stream, which it has to wait for beyond that. */
    void windows(int bytes) {
        frame(
                SETTINGS,
                0,
                0,
                ByteBuffer.allocate(6)
                        .putShort((short) Http2CodecUtil.SETTINGS_INITIAL_WINDOW_SIZE)
                        .putInt(bytes)
                        .array());
    }

    void bytes(byte[] bytes) {
        unsent.writeBytes(bytes);
    }

    void frame(int type, int flags, int stream, byte[] payload) {
        bytes(frameBytes(type, flags, stream, payload));
    }

    /** Sends what was collected; a server that has closed the connection does not matter. */
    void flush() {
        try {
            unsent.writeTo(out);
            out.flush();
        } catch (IOException e) {
            // the test looks at what the server said
        }
        unsent.reset();
    }

    /** Sends what was collected, and says that there will be nothing more. */
    void end() {
        flush();
        try {
            socket.shutdownOutput();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @SuppressWarnings("ArrayRecordComponent") // nobody compares frames
    private record Frame(int type, int flags, int stream, byte[] payload) {}

    /** {@return the next frame, or null at the end} */
    private Frame read() throws IOException {
        byte[] header = in.readNBytes(Http2CodecUtil.FRAME_HEADER_LENGTH);
        if (header.length < Http2CodecUtil.FRAME_HEADER_LENGTH) {
            return null;
        }
        int length = (header[0] & 0xff) << 16 | (header[1] & 0xff) << 8 | header[2] & 0xff;
        byte[] payload = in.readNBytes(length);
        return new Frame(header[3], header[4], ByteBuffer.wrap(header).getInt(5), payload);
    }

    /** {@return how many frames the server has sent before it answers a PING} */
    int countUntilPong(int type, int stream) throws IOException {
        frame(PING, 0, 0, new byte[8]);
        flush();
        int count = 0;
        for (Frame frame = read(); frame.type() != PING; frame = read()) {
            count += frame.type() == type && frame.stream() == stream ? 1 : 0;
        }
        return count;
    }

    /** {@return the trailers of the next answers that end, by their streams} */
    Map<Integer, Http2Headers> awaitEnds(int count) throws IOException, Http2Exception {
        flush();
        Map<Integer, Http2Headers> ends = new HashMap<>();
        while (ends.size() < count) {
            Frame frame = read();
            if (frame == null || frame.type() == GO_AWAY) {
                throw new AssertionError("the connection has ended after " + ends);
            }
            if (frame.type() == DATA && frame.payload().length > 0) {
                byte[] read = ByteBuffer.allocate(4).putInt(frame.payload().length).array();
                frame(WINDOW_UPDATE, 0, 0, read);
                flush();
            }
            if (frame.type() == HEADERS) {
                ByteBuf block = Unpooled.wrappedBuffer(frame.payload());
                Http2Headers headers = decoder.decodeHeaders(frame.stream(), block);
                if ((frame.flags() & END_STREAM) != 0) {
                    ends.put(frame.stream(), headers);
                }
            }
        }
        return ends;
    }

    /** {@return the code of the GOAWAY that the server ends the connection with, or ENDED} */
    long awaitGoAway() {
        flush();
        long code = ENDED;
        try {
            while (true) {
                Frame frame = read();
                if (frame == null) {
                    return code;
                }
                if (frame.type() == GO_AWAY && frame.payload().length >= 8) {
                    code = ByteBuffer.wrap(frame.payload()).getInt(4) & 0xffff_ffffL;
                }
            }
        } catch (SocketTimeoutException e) {
            throw new AssertionError("the connection is still open", e);
        } catch (IOException e) {
            return code;
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
