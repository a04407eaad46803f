// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.pingpong;

import io.verbena.tools.ToolException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;

/**
 * The TCP connection over which the sides exchange their addresses. All its steps together take at
 * most the time allowed, even if the peer sends only a byte now and then. A channel rather than a
 * socket, so that an interrupt ends the wait.
 */
final class TextLink implements AutoCloseable {
    private final SocketChannel channel;
    private final Duration limit;
    private final long deadlineNs;

    TextLink(SocketChannel channel, Duration limit) {
        this.channel = channel;
        this.limit = limit;
        this.deadlineNs = System.nanoTime() + limit.toNanos();
    }

    /** {@return a connection to the first of a host's addresses that answers} */
    static TextLink connect(String host, int port, Duration limit) throws IOException {
        IOException failure = new IOException("no address");
        for (InetAddress address : InetAddress.getAllByName(host)) {
            SocketChannel channel = SocketChannel.open();
            try {
                channel.socket().connect(new InetSocketAddress(address, port), millis(limit));
                return new TextLink(channel, limit);
            } catch (IOException e) {
                channel.close();
                failure = e;
            }
        }
        throw failure;
    }

    /** Sends bytes in one piece: the C program expects them all from one {@code read}. */
    void send(byte... bytes) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
    }

    /**
     * {@return a number of bytes}
     *
     * @param what what they are, for the error message
     * @throws ToolException if the peer closes the connection or does not send enough in time
     */
    byte[] receive(int count, String what) throws IOException {
        byte[] bytes = new byte[count];
        int have = 0;
        while (have < count) {
            int got = read(bytes, have, what);
            if (got < 0) {
                throw incomplete(what, have, count, "the peer closed the connection");
            }
            have += got;
        }
        return bytes;
    }

    private int read(byte[] bytes, int have, String what) throws IOException {
        Duration left = Duration.ofNanos(deadlineNs - System.nanoTime());
        try {
            if (!left.isPositive()) {
                throw new SocketTimeoutException();
            }
            channel.socket().setSoTimeout(millis(left));
            InputStream in = channel.socket().getInputStream();
            return in.read(bytes, have, bytes.length - have);
        } catch (SocketTimeoutException e) {
            ToolException failure =
                    incomplete(
                            what,
                            have,
                            bytes.length,
                            "nothing more within " + limit.toSeconds() + " s");
            failure.initCause(e);
            throw failure;
        }
    }

    private static ToolException incomplete(String what, int have, int count, String why) {
        return new ToolException(what + ": " + have + " of " + count + " bytes, then " + why);
    }

    /** {@return at least 1, because 0 means no limit} */
    private static int millis(Duration duration) {
        return Math.clamp(duration.toMillis(), 1, Integer.MAX_VALUE);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
