// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.ByteString;
import io.verbena.rpc.wire.MetaReader;
import io.verbena.rpc.wire.StreamMeta;
import io.verbena.rpc.wire.proto.RpcMeta;
import io.verbena.rpc.wire.proto.RpcResponseMeta;
import io.verbena.rpc.wire.proto.StreamSettings;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Either end of brpc's streams, which speaks byte by byte over TCP, correctly or not. */
final class RawStreams implements AutoCloseable {
    private static final int HEADER = 12;
    private final Socket socket;
    private final DataInputStream input;
    private long correlation = 1;

    /** A frame of a stream. */
    @SuppressWarnings("ArrayRecordComponent") // nobody compares frames
    record Frame(int type, long streamId, long source, byte[] data) {}

    RawStreams(int port) throws IOException {
        this(new Socket(InetAddress.getLoopbackAddress(), port));
    }

    /** The end of a connection that is open, or was accepted. */
    RawStreams(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(30_000);
        input = new DataInputStream(socket.getInputStream());
    }

    private static void field(ByteArrayOutputStream out, int tag, long value) {
        out.write(tag);
        long left = value;
        while ((left & ~0x7fL) != 0) {
            out.write((int) (left | 0x80));
            left >>>= 7;
        }
        out.write((int) left);
    }

    /** {@return a frame; fields that are negative are left out} */
    static byte[] frame(int type, long streamId, long source, long more, byte[] data) {
        ByteArrayOutputStream meta = new ByteArrayOutputStream();
        field(meta, 0x08, streamId);
        if (source >= 0) {
            field(meta, 0x10, source);
        }
        field(meta, 0x18, type);
        if (type == StreamMeta.DATA) {
            field(meta, 0x20, more);
        } else if (type == StreamMeta.FEEDBACK) {
            ByteArrayOutputStream inner = new ByteArrayOutputStream();
            field(inner, 0x08, more);
            field(meta, 0x2a, inner.size());
            meta.writeBytes(inner.toByteArray());
        }
        return frame(meta.toByteArray(), data, data.length);
    }

    static byte[] frame(byte[] meta, byte[] data, int claimedData) {
        return ByteBuffer.allocate(HEADER + meta.length + data.length)
                .put(new byte[] {'S', 'T', 'R', 'M'})
                .putInt(meta.length + claimedData)
                .putInt(meta.length)
                .put(meta)
                .put(data)
                .array();
    }

    RawStreams send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
        return this;
    }

    RawStreams data(long streamId, long source, String text) throws IOException {
        return send(
                frame(StreamMeta.DATA, streamId, source, 0, text.getBytes(StandardCharsets.UTF_8)));
    }

    RawStreams feedback(long streamId, long source, long consumed) throws IOException {
        return send(frame(StreamMeta.FEEDBACK, streamId, source, consumed, new byte[0]));
    }

    /** Calls One with streams of these ids. */
    RawStreams call(long... ids) throws IOException {
        StreamSettings.Builder settings =
                StreamSettings.newBuilder()
                        .setStreamId(ids[0])
                        .setNeedFeedback(true)
                        .setWritable(true);
        for (int i = 1; i < ids.length; i++) {
            settings.addExtraStreamIds(ids[i]);
        }
        RpcMeta.Builder meta =
                RawClient.meta("verbena.protoc.streams.StreamService", "One", correlation++)
                        .setStreamSettings(settings);
        return send(RawClient.frame(meta.build(), ByteString.EMPTY));
    }

    /**
     * {@return the meta of the response to {@link #call}; feedback of other streams may precede}
     */
    RpcMeta response(long id) throws IOException {
        Frame frame = receiveOther();
        if (frame.type() != StreamMeta.DATA || frame.streamId() != id) {
            throw new IOException("not the response: " + frame);
        }
        int metaSize = ByteBuffer.wrap(frame.data()).getInt(8);
        return RpcMeta.parseFrom(Arrays.copyOfRange(frame.data(), HEADER, HEADER + metaSize));
    }

    /** {@return the meta of a call that a client makes} */
    RpcMeta receiveCall() throws IOException {
        byte[] header = input.readNBytes(HEADER);
        if (header.length < HEADER || header[0] != 'P') {
            throw new IOException("no call: " + Arrays.toString(header));
        }
        ByteBuffer numbers = ByteBuffer.wrap(header);
        byte[] body = input.readNBytes(numbers.getInt(4));
        return RpcMeta.parseFrom(Arrays.copyOf(body, numbers.getInt(8)));
    }

    /** Answers a call with an empty message, and accepts its streams with these ids. */
    RawStreams answer(RpcMeta call, long... ids) throws IOException {
        StreamSettings.Builder settings =
                StreamSettings.newBuilder()
                        .setStreamId(ids[0])
                        .setNeedFeedback(true)
                        .setWritable(true);
        for (int i = 1; i < ids.length; i++) {
            settings.addExtraStreamIds(ids[i]);
        }
        RpcMeta meta =
                RpcMeta.newBuilder()
                        .setResponse(RpcResponseMeta.getDefaultInstance())
                        .setCorrelationId(call.getCorrelationId())
                        .setStreamSettings(settings)
                        .build();
        return send(
                frame(
                        StreamMeta.DATA,
                        call.getStreamSettings().getStreamId(),
                        ids[0],
                        0,
                        RawClient.frame(meta, ByteString.EMPTY)));
    }

    Frame receive() throws IOException {
        byte[] header = input.readNBytes(HEADER);
        if (header.length < HEADER || header[0] != 'S') {
            throw new IOException("no stream frame: " + Arrays.toString(header));
        }
        ByteBuffer numbers = ByteBuffer.wrap(header);
        int metaSize = numbers.getInt(8);
        byte[] body = input.readNBytes(numbers.getInt(4));
        StreamMeta meta = new StreamMeta();
        new MetaReader().readStream(body, metaSize, meta);
        return new Frame(
                meta.frameType(),
                meta.streamId(),
                meta.hasSource() ? meta.sourceStreamId() : -1,
                Arrays.copyOfRange(body, metaSize, body.length));
    }

    /** {@return the next frame that is not feedback} */
    Frame receiveOther() throws IOException {
        Frame frame = receive();
        while (frame.type() == StreamMeta.FEEDBACK) {
            frame = receive();
        }
        return frame;
    }

    boolean isClosedByServer() throws IOException {
        try {
            return input.read() < 0;
        } catch (SocketException e) {
            return true;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
