// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.ByteString;
import io.verbena.rpc.wire.proto.RpcMeta;
import io.verbena.rpc.wire.proto.RpcRequestMeta;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Speaks {@code baidu_std} byte by byte over TCP, correctly or not. */
final class RawClient implements AutoCloseable {
    private static final int HEADER = 12;
    private final Socket socket;
    private final DataInputStream input;

    /** What came back. */
    record Answer(RpcMeta meta, ByteString behindMeta) {
        int code() {
            return meta.getResponse().getErrorCode();
        }
    }

    RawClient(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(20_000);
        input = new DataInputStream(socket.getInputStream());
    }

    static RpcMeta.Builder meta(String service, String method, long correlation) {
        return RpcMeta.newBuilder()
                .setRequest(
                        RpcRequestMeta.newBuilder().setServiceName(service).setMethodName(method))
                .setCorrelationId(correlation);
    }

    static byte[] frame(RpcMeta meta, ByteString behindMeta) {
        byte[] encoded = meta.toByteArray();
        ByteBuffer frame = ByteBuffer.allocate(HEADER + encoded.length + behindMeta.size());
        frame.put(new byte[] {'P', 'R', 'P', 'C'});
        frame.putInt(encoded.length + behindMeta.size());
        frame.putInt(encoded.length);
        frame.put(encoded);
        behindMeta.copyTo(frame);
        return frame.array();
    }

    RawClient send(byte[] bytes) throws IOException {
        OutputStream output = socket.getOutputStream();
        output.write(bytes);
        output.flush();
        return this;
    }

    RawClient send(RpcMeta.Builder meta, ByteString behindMeta) throws IOException {
        return send(frame(meta.build(), behindMeta));
    }

    Answer receive() throws IOException {
        byte[] header = input.readNBytes(HEADER);
        if (header.length < HEADER) {
            throw new IOException("closed after " + header.length + " bytes");
        }
        ByteBuffer numbers = ByteBuffer.wrap(header);
        byte[] body = input.readNBytes(numbers.getInt(4));
        int metaSize = numbers.getInt(8);
        return new Answer(
                RpcMeta.parseFrom(Arrays.copyOf(body, metaSize)),
                ByteString.copyFrom(body, metaSize, body.length - metaSize));
    }

    /** {@return whether the server closes without another byte} */
    boolean isClosedByServer() throws IOException {
        try {
            return input.read() < 0;
        } catch (java.net.SocketException e) {
            return true;
        }
    }

    /** {@return whether the server has closed, or closes within a moment} */
    boolean isClosedSoon() throws IOException {
        socket.setSoTimeout(1);
        try {
            return isClosedByServer();
        } catch (java.net.SocketTimeoutException e) {
            return false;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
