// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft.cm;

import java.io.EOFException;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The UNIX socket of one connection between two connection managers.
 *
 * <p>One thread reads. Any thread sends in two steps: {@link #queue} fixes the order and never
 * blocks, so it may be called with a lock held; {@link #flush} writes. A side sends at most four
 * short messages in a connection's life, far less than a socket buffer holds, so writing never
 * waits for the peer.
 */
final class CmSocket {
    private final SocketChannel channel;
    private final ByteBuffer input = ByteBuffer.allocate(CmCodec.HEADER + CmCodec.MAX_BODY);
    private final ConcurrentLinkedQueue<ByteBuffer> outbox = new ConcurrentLinkedQueue<>();
    private final ReentrantLock writing = new ReentrantLock();

    /** A socket whose channel is connected, or will be by {@link #connect}. */
    CmSocket(SocketChannel channel) {
        this.channel = channel;
    }

    /** Connects to a listening socket. */
    void connect(Path listener) throws IOException {
        channel.connect(UnixDomainSocketAddress.of(listener));
    }

    /** {@return the next message, or empty if the peer has closed} */
    Optional<CmMessage> read() throws IOException {
        if (!fill(CmCodec.HEADER)) {
            return Optional.empty();
        }
        CmCodec.Header header = CmCodec.decodeHeader(input);
        if (header.length() > 0 && !fill(header.length())) {
            throw new EOFException("the peer closed within a message");
        }
        return Optional.of(CmCodec.decodeBody(header, input));
    }

    /** Queues a message; the next {@link #flush} by any thread writes it. */
    void queue(CmMessage message) {
        outbox.add(CmCodec.encode(message));
    }

    /**
     * Writes the queued messages. A peer that is gone is no failure here: the reader reports it.
     */
    void flush() {
        // NIO closes a channel when the thread that uses it is interrupted: an interrupted caller
        // must not lose its connection that way.
        boolean interrupted = Thread.interrupted();
        writing.lock();
        try {
            writeAll();
        } catch (IOException e) {
            // Ends the read as well, so that one place handles a lost peer.
            close();
        } finally {
            writing.unlock();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Sends a last message and closes. */
    void finish(CmMessage last) {
        queue(last);
        flush();
        close();
    }

    /** Closes; a thread that reads gets an exception, the peer reads the end of the stream. */
    void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new AssertionError("closing a UNIX socket does no I/O", e);
        }
    }

    private void writeAll() throws IOException {
        for (ByteBuffer bytes = outbox.poll(); bytes != null; bytes = outbox.poll()) {
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        }
    }

    private boolean fill(int length) throws IOException {
        input.clear().limit(length);
        while (input.hasRemaining()) {
            if (channel.read(input) < 0) {
                if (input.position() == 0) {
                    return false;
                }
                throw new EOFException("the peer closed within a message");
            }
        }
        input.flip();
        return true;
    }
}
