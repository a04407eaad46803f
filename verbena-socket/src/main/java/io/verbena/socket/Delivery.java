// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Passes the messages of a socket to a listener; a virtual thread runs while there are any. */
final class Delivery {
    private static final Logger LOG = LoggerFactory.getLogger(Delivery.class);
    private static final int BATCH = 256;

    private final RdmaSocket socket;
    private final MessageListener listener;
    private final AtomicBoolean isRunning = new AtomicBoolean();

    Delivery(RdmaSocket socket, MessageListener listener) {
        this.socket = socket;
        this.listener = listener;
    }

    void start(SocketEndpoint endpoint) {
        endpoint.readiness(this::onReadable);
        onReadable();
    }

    private void onReadable() {
        // check the flag first: while nobody runs, the reader's state does not change
        if (!isRunning.get()
                && (socket.isPollable() || socket.isClosed())
                && isRunning.compareAndSet(false, true)) {
            start();
        }
    }

    private void start() {
        try {
            Thread.ofVirtual().name("verbena-socket-delivery").start(this::run);
        } catch (RuntimeException | Error e) {
            isRunning.set(false);
            throw e;
        }
    }

    private void run() {
        boolean isOver;
        try {
            isOver = deliver();
        } catch (Throwable e) { // whatever it is, it costs this socket and no other
            // first, because even its message may throw
            socket.abort();
            LOG.error("the listener of {} failed; the socket is closed", socket, e);
            isOver = true;
        }
        if (!isOver) {
            isRunning.set(false);
            // for what came after the last check but before the flag was cleared
            onReadable();
        }
    }

    /** {@return whether nothing more will come} */
    private boolean deliver() {
        try {
            int count;
            do {
                count = socket.poll(this::hand, BATCH);
            } while (count > 0);
            if (count == 0) {
                return false;
            }
            listener.onEnd(Optional.empty());
        } catch (IOException e) {
            listener.onEnd(Optional.of(e));
        }
        return true;
    }

    private void hand(int nodeId, int flag, MemorySegment memory, long offset, int length) {
        try {
            listener.onMessage(nodeId, flag, memory, offset, length);
        } catch (Throwable e) { // even an IOException that nobody declared is not the socket's
            throw new IllegalStateException("a listener failed", e);
        }
    }
}
