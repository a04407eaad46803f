// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.handshake;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.transport.rdma.Hello;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The other end of a connection, byte by byte, on a plain socket. */
public final class RawPeer implements AutoCloseable {
    private static final int LIMIT_MS = 30_000;

    private final Socket socket;

    public RawPeer(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(LIMIT_MS);
        socket.setTcpNoDelay(true);
    }

    public static RawPeer connect(InetSocketAddress address) throws IOException {
        Socket socket = new Socket();
        socket.connect(address, LIMIT_MS);
        return new RawPeer(socket);
    }

    public RawPeer send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        return this;
    }

    public RawPeer send(byte[] bytes, int from, int to) throws IOException {
        socket.getOutputStream().write(bytes, from, to - from);
        return this;
    }

    public RawPeer send(String text) throws IOException {
        return send(text.getBytes(StandardCharsets.US_ASCII));
    }

    public byte[] read(int count) throws IOException {
        byte[] bytes = socket.getInputStream().readNBytes(count);
        assertThat(bytes).as("bytes before the end").hasSize(count);
        return bytes;
    }

    /** {@return what a whole hello offers, whichever version it has} */
    public Hello readOffer() throws IOException {
        return readOffer(new byte[0]);
    }

    /** {@return what a whole hello offers} It begins with the given bytes. */
    public Hello readOffer(byte[] beginning) throws IOException {
        ByteBuffer head = ByteBuffer.wrap(read(8));
        HelloVersion version = HelloVersion.byMagic(head);
        int length = version == HelloVersion.V3 ? 8 + head.getInt(4) : head.getShort(4);
        byte[] hello = Arrays.copyOf(head.array(), length);
        System.arraycopy(read(length - 8), 0, hello, 8, length - 8);
        assertThat(Arrays.copyOf(hello, beginning.length)).isEqualTo(beginning);
        ReceivedHello received =
                new HelloReader(version).read(ByteBuffer.wrap(hello)).orElseThrow();
        assertThat(received).isInstanceOf(ReceivedHello.Offer.class);
        return ((ReceivedHello.Offer) received).hello();
    }

    public String readText(int count) throws IOException {
        return new String(read(count), StandardCharsets.US_ASCII);
    }

    /** Expects the other end to close without sending anything first. */
    public void expectEnd() throws IOException {
        InputStream in = socket.getInputStream();
        try {
            assertThat(in.read()).isEqualTo(-1);
        } catch (SocketException e) {
            assertThat(e).hasMessageContaining("reset");
        }
    }

    public void shutdownOutput() throws IOException {
        socket.shutdownOutput();
    }

    /** Closes with a reset. */
    public void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    /** Closes before the block that opened this peer ends. */
    public void hangUp() throws IOException {
        close();
    }
}
