// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The messages on their way to a peer. A thread of its own writes them in order: a peer that is
 * stopped, or never reads, blocks that thread and nobody else.
 */
final class LinkOutbox {
    /** More than this, and the peer does not read at all. */
    static final int MOST = 1 << 16;

    private final SocketChannel link;
    private final BlockingQueue<ByteBuffer> messages = new LinkedBlockingQueue<>(MOST);

    LinkOutbox(SocketChannel link) {
        this.link = link;
    }

    /** Adds a message; {@return false if there are too many} Never waits. */
    boolean offer(ByteBuffer message) {
        return messages.offer(message);
    }

    /** Writes until the link is closed. */
    void writeAll() throws IOException, InterruptedException {
        while (link.isOpen()) {
            write(link, messages.take());
        }
    }

    /** Closes the link, which ends the writer and the peer's reader. */
    void close() throws IOException {
        link.close();
        // for a writer that waits for a message; one that is writing gets an exception
        messages.offer(ByteBuffer.allocate(0));
    }

    static void write(SocketChannel channel, ByteBuffer message) throws IOException {
        while (message.hasRemaining()) {
            channel.write(message);
        }
    }
}
