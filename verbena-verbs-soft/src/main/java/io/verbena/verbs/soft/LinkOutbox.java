// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The messages on their way to a peer, and the link they take. A thread of its own writes them in
 * order: a peer that is stopped, or never reads, blocks that thread and nobody else. Another one
 * watches for the end of the link.
 *
 * <p>The peer greets each link before it takes messages, and nothing is written before. A link that
 * is not greeted is opened again: a process without memory may have accepted it, and lost it before
 * anybody could read or close it.
 */
final class LinkOutbox {
    /** More than this, and the peer does not read at all. */
    static final int MOST = 1 << 16;

    private static final long FIRST_PATIENCE_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long MOST_PATIENCE_NS = TimeUnit.SECONDS.toNanos(10);

    /** Opens a link and introduces this process. */
    interface Opener {
        SocketChannel open() throws IOException;
    }

    private final Opener opener;
    private final BlockingQueue<ByteBuffer> messages = new LinkedBlockingQueue<>(MOST);

    /** Like the next two guarded by this. */
    private SocketChannel link;

    private boolean isGreeted;
    private boolean isClosed;

    LinkOutbox(Opener opener) throws IOException {
        this.opener = opener;
        this.link = opener.open();
    }

    /** Adds a message; {@return false if there are too many} Never waits. */
    boolean offer(ByteBuffer message) {
        return messages.offer(message);
    }

    /** Writes until the link is closed. */
    void writeAll() throws IOException, InterruptedException {
        long patienceNs = FIRST_PATIENCE_NS;
        while (!awaitGreeting(patienceNs)) {
            replace(opener.open());
            patienceNs = Math.min(2 * patienceNs, MOST_PATIENCE_NS);
        }
        // it is not replaced any more
        SocketChannel greeted = link();
        while (greeted.isOpen()) {
            write(greeted, messages.take());
        }
    }

    /** {@return whether the link was greeted or closed} */
    private synchronized boolean awaitGreeting(long patienceNs) throws InterruptedException {
        long endNs = System.nanoTime() + patienceNs;
        for (long left = patienceNs; left > 0; left = endNs - System.nanoTime()) {
            if (isGreeted || isClosed) {
                return true;
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        return isGreeted || isClosed;
    }

    private synchronized void replace(SocketChannel next) throws IOException {
        if (isGreeted || isClosed) {
            next.close();
            return;
        }
        SocketChannel before = link;
        link = next;
        before.close();
    }

    private synchronized SocketChannel link() {
        return link;
    }

    /** Reads until the link has ended: the peer writes nothing but its greeting. */
    void watch() throws IOException {
        ByteBuffer word = ByteBuffer.allocate(1);
        SocketChannel watched = link();
        while (read(watched, word) || !watched.equals(link())) {
            watched = link();
        }
    }

    /** {@return whether there may be more to read} */
    private boolean read(SocketChannel from, ByteBuffer word) throws IOException {
        try {
            boolean isOpen = from.read(word.clear()) >= 0;
            if (isOpen) {
                greet(from);
            }
            return isOpen;
        } catch (IOException e) {
            if (from.equals(link())) {
                throw e;
            }
            // closed when it was replaced
            return false;
        }
    }

    private synchronized void greet(SocketChannel from) {
        if (from.equals(link)) {
            isGreeted = true;
            notifyAll();
        }
    }

    /** Closes the link, which ends both threads and the peer's reader. */
    void close() throws IOException {
        synchronized (this) {
            isClosed = true;
            notifyAll();
            link.close();
        }
        // for a writer that waits for a message; one that is writing gets an exception
        messages.offer(ByteBuffer.allocate(0));
    }

    static void write(SocketChannel channel, ByteBuffer message) throws IOException {
        while (message.hasRemaining()) {
            channel.write(message);
        }
    }
}
