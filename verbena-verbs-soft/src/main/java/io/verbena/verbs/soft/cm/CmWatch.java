// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft.cm;

import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Waits, on one thread, until sockets have something to read, and then has a worker read it. The
 * thread is started by the first socket and ends some time after the last.
 */
final class CmWatch {
    private final CmThreads threads;
    private final Queue<CmSocket> changed = new ConcurrentLinkedQueue<>();
    private final ReentrantLock lock = new ReentrantLock();

    /** Null while there is no thread. */
    private Selector selector;

    CmWatch(CmThreads threads) {
        this.threads = threads;
    }

    /** Looks at a socket whose reader has begun to wait, or which was closed. */
    void look(CmSocket socket) throws IOException {
        changed.add(socket);
        lock.lock();
        try {
            if (selector == null) {
                Selector opened = Selector.open();
                CmThreads.start("verbena-cm-watch", () -> run(opened));
                selector = opened;
            }
            selector.wakeup();
        } finally {
            lock.unlock();
        }
    }

    private void run(Selector own) {
        try {
            boolean isIdle = false;
            while (!isIdle || !endIfUnused(own)) {
                isIdle =
                        own.select(this::dispatch, TimeUnit.NANOSECONDS.toMillis(CmThreads.IDLE_NS))
                                == 0;
                isIdle &= !takeChanged(own);
            }
        } catch (Throwable e) {
            CmThreads.log(e);
            giveUp(own);
        }
    }

    private boolean takeChanged(Selector own) {
        boolean isAny = !changed.isEmpty();
        for (CmSocket socket = changed.poll(); socket != null; socket = changed.poll()) {
            try {
                socket.channel().register(own, SelectionKey.OP_READ, socket);
            } catch (ClosedChannelException _) {
                // the reader finds out for itself
                wake(socket);
            }
        }
        return isAny;
    }

    private void dispatch(SelectionKey key) {
        try {
            // until the reader waits again
            key.interestOps(0);
        } catch (CancelledKeyException _) {
            // closed at this moment, which the reader finds out for itself
        }
        wake((CmSocket) key.attachment());
    }

    private void wake(CmSocket socket) {
        socket.takeReader().ifPresent(threads::execute);
    }

    private boolean endIfUnused(Selector own) throws IOException {
        lock.lock();
        try {
            if (!own.keys().isEmpty() || !changed.isEmpty()) {
                return false;
            }
            selector = null;
        } finally {
            lock.unlock();
        }
        own.close();
        return true;
    }

    /** Ends every connection that this thread can no longer serve; the next one starts another. */
    private void giveUp(Selector own) {
        lock.lock();
        try {
            selector = null;
        } finally {
            lock.unlock();
        }
        for (SelectionKey key : own.keys()) {
            CmSocket socket = (CmSocket) key.attachment();
            socket.close();
            wake(socket);
        }
        for (CmSocket socket = changed.poll(); socket != null; socket = changed.poll()) {
            socket.close();
            wake(socket);
        }
        try {
            own.close();
        } catch (IOException e) {
            CmThreads.log(e);
        }
    }
}
