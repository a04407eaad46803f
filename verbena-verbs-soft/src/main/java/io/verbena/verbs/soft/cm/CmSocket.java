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
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The UNIX socket of one connection between two connection managers.
 *
 * <p>One thread at a time reads. It never waits: where nothing has arrived, {@link #awaitReadable}
 * makes a worker continue later. Any thread sends in two steps: {@link #queue} fixes the order and
 * never blocks, so it may be called with a lock held; {@link #flush} writes. A side sends at most
 * four short messages in a connection's life, far less than a socket buffer holds, so writing never
 * waits for the peer.
 */
final class CmSocket {
    private final SocketChannel channel;
    private final CmThreads threads;
    private final AtomicReference<Runnable> reader = new AtomicReference<>();
    private final ByteBuffer input = ByteBuffer.allocate(CmCodec.HEADER + CmCodec.MAX_BODY);
    private final ConcurrentLinkedQueue<ByteBuffer> outbox = new ConcurrentLinkedQueue<>();
    private final ReentrantLock writing = new ReentrantLock();
    private Optional<CmCodec.Header> header = Optional.empty();
    private boolean isEnded;

    /** A socket whose channel is connected, or will be by {@link #connect}. */
    CmSocket(SocketChannel channel, CmThreads threads) {
        this.channel = channel;
        this.threads = threads;
        input.limit(CmCodec.HEADER);
    }

    /** {@return a connected socket that never waits} */
    static CmSocket accepted(SocketChannel channel, CmThreads threads) throws IOException {
        channel.configureBlocking(false);
        return new CmSocket(channel, threads);
    }

    /** Connects to a listening socket; the only step that may wait. */
    void connect(Path listener) throws IOException {
        channel.connect(UnixDomainSocketAddress.of(listener));
        channel.configureBlocking(false);
    }

    SocketChannel channel() {
        return channel;
    }

    /** {@return the next message, if it has arrived whole} */
    Optional<CmMessage> read() throws IOException {
        if (header.isEmpty()) {
            if (!fill()) {
                return Optional.empty();
            }
            CmCodec.Header next = CmCodec.decodeHeader(input.flip());
            header = Optional.of(next);
            input.clear().limit(next.length());
        }
        if (!fill()) {
            return Optional.empty();
        }
        CmMessage message = CmCodec.decodeBody(header.get(), input.flip());
        header = Optional.empty();
        input.clear().limit(CmCodec.HEADER);
        return Optional.of(message);
    }

    /** {@return whether the peer has closed, so that no message will come} */
    boolean isEnded() {
        return isEnded;
    }

    /** Has a worker run the reader once there is more to read, or the socket is closed. */
    void awaitReadable(Runnable next) throws IOException {
        reader.set(next);
        threads.watch().look(this);
    }

    /** {@return the waiting reader, to be run once} */
    Optional<Runnable> takeReader() {
        return Optional.ofNullable(reader.getAndSet(null));
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

    /** Closes; the reader gets an exception, the peer reads the end of the stream. */
    void close() {
        if (!channel.isOpen()) {
            return;
        }
        try {
            channel.close();
            if (channel.isRegistered() || reader.get() != null) {
                threads.watch().look(this);
            }
        } catch (IOException e) {
            throw new AssertionError("closing a UNIX socket does no I/O", e);
        }
    }

    private void writeAll() throws IOException {
        for (ByteBuffer bytes = outbox.poll(); bytes != null; bytes = outbox.poll()) {
            while (bytes.hasRemaining()) {
                if (channel.write(bytes) == 0) {
                    throw new IOException("the peer reads nothing");
                }
            }
        }
    }

    private boolean fill() throws IOException {
        while (input.hasRemaining()) {
            int length = channel.read(input);
            if (length == 0) {
                return false;
            }
            if (length < 0) {
                if (header.isPresent() || input.position() > 0) {
                    throw new EOFException("the peer closed within a message");
                }
                isEnded = true;
                return false;
            }
        }
        return true;
    }
}
