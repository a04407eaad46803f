// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import io.verbena.completion.Faults;
import io.verbena.memory.IOBuf;
import io.verbena.rpc.spi.ServerConnection;
import io.verbena.rpc.spi.ServerView;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the answers of a connection in the order of its requests, whatever order they become ready
 * in.
 *
 * <p>Threads: one at a time adds, usually the connection's; any thread may flush. Only one sends at
 * a time: the thread that raises {@code work} from 0 has the turn, and continues until it is 0
 * again, so no thread waits and no answer is left behind. The connection's thread keeps the turn
 * while it reads, so that its answers are sent together.
 *
 * <p>Answers bypass the session's own collecting, where a second answer from another thread could
 * overtake the first.
 */
final class ResponseQueue {
    private static final Logger LOG = LoggerFactory.getLogger(ResponseQueue.class);

    private final ServerConnection connection;
    private final ServerView server;
    private final Queue<HttpExchange> exchanges = new ConcurrentLinkedQueue<>();
    private final AtomicInteger work = new AtomicInteger();
    private final AtomicInteger unanswered = new AtomicInteger();
    private final IOBuf out;
    private volatile boolean isClosed;
    private boolean hasTurn;

    ResponseQueue(ServerConnection connection) {
        this.connection = connection;
        this.server = connection.server();
        this.out = server.pool().buffer();
    }

    /** {@return how many requests have no answer yet, or one that is not sent yet} */
    int size() {
        return unanswered.get();
    }

    /**
     * Adds a request. The connection's thread. A server that is stopped later waits until the
     * answer is written: after the call has ended, the answer may still wait here for others.
     */
    void add(HttpExchange exchange) {
        exchange.holdsServer(server.tryHold());
        unanswered.incrementAndGet();
        exchanges.add(exchange);
    }

    /**
     * Sends nothing until {@link #release}, unless another thread is already sending. The
     * connection's thread.
     */
    void hold() {
        hasTurn = work.getAndIncrement() == 0;
    }

    /** Sends what was added since {@link #hold}. The connection's thread. */
    void release() {
        if (hasTurn) {
            sendAll();
        } else {
            flush();
        }
    }

    /** An answer is ready. Any thread. */
    void flush() {
        if (work.getAndIncrement() == 0) {
            sendAll();
        }
    }

    /** The connection has ended: answers are dropped from now on. */
    void close() {
        isClosed = true;
        flush();
    }

    private void sendAll() {
        int done = 1;
        do {
            sendReadyOrEnd();
            done = work.addAndGet(-done);
        } while (done != 0);
    }

    /** The turn must end, whatever happens: a thread that left its answer here relies on it. */
    private void sendReadyOrEnd() {
        try {
            sendReady();
        } catch (Throwable e) {
            isClosed = true;
            out.clear();
            Faults.warn(ResponseQueue.class, "answers are lost", connection, e);
            connection
                    .transport()
                    .abort(
                            new TransportException(
                                    TransportError.EINTERNAL,
                                    Faults.describe("answers are lost", e),
                                    e));
        }
    }

    private void sendReady() {
        boolean isLast = false;
        int held = 0;
        try {
            HttpExchange first = exchanges.peek();
            while (!isLast && first != null && first.isAnswered()) {
                exchanges.remove();
                unanswered.decrementAndGet();
                held += first.holdsServer() ? 1 : 0;
                first.bytes().cutInto(out, first.bytes().size());
                isLast = first.isLast();
                first = exchanges.peek();
            }
            if (!out.isEmpty()) {
                write();
            }
        } finally {
            for (int i = 0; i < held; i++) {
                server.release();
            }
        }
        if (isLast) {
            isClosed = true;
            connection.closeAfterWrites();
        }
        if (isClosed) {
            exchanges.removeIf(this::drop);
        }
    }

    private boolean drop(HttpExchange exchange) {
        if (!exchange.isAnswered()) {
            return false;
        }
        exchange.bytes().close();
        if (exchange.holdsServer()) {
            server.release();
        }
        return true;
    }

    private void write() {
        if (isClosed) {
            out.clear();
            return;
        }
        try {
            connection.transport().write(out);
        } catch (TransportException e) {
            LOG.debug("answers to {} are lost", connection, e);
            out.clear();
            isClosed = true;
            connection.closeAfterWrites();
        }
    }
}
