// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.verbena.memory.IOBuf;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Holds what is written before a connection has a carrier. Any thread.
 *
 * <p>The lock makes handing over to the carrier one step: waiting bytes go first, and a late write
 * goes to the carrier.
 */
final class WriteBacklog {
    private final SocketConnection connection;
    private final ReentrantLock lock = new ReentrantLock();
    private final IOBuf waiting;
    private volatile long bytes;
    private volatile Stage successor;

    /** An empty backlog. */
    WriteBacklog(SocketConnection connection) {
        this.connection = connection;
        this.waiting = connection.pool().buffer();
    }

    /** {@return how many bytes are waiting} */
    long bytes() {
        return bytes;
    }

    /** Queues bytes, or passes them on if there is a carrier already. */
    void write(IOBuf data) {
        lock.lock();
        try {
            if (successor == null) {
                connection.checkOpen();
                connection.checkRoom(bytes);
                data.cutInto(waiting, data.size());
                bytes = waiting.size();
                return;
            }
        } finally {
            lock.unlock();
        }
        successor.write(data);
    }

    /** Gives everything to a carrier, which takes all that is written from now on. */
    void drainTo(Stage carrier) {
        lock.lock();
        try {
            if (!waiting.isEmpty()) {
                carrier.write(waiting);
            }
        } finally {
            // Even if the carrier refuses the bytes: that ends the connection.
            successor = carrier;
            bytes = 0;
            waiting.clear();
            lock.unlock();
        }
    }

    /** Drops everything. */
    void discard() {
        lock.lock();
        try {
            waiting.clear();
            bytes = 0;
        } finally {
            lock.unlock();
        }
    }
}
