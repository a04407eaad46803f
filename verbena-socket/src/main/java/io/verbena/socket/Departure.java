// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import io.verbena.verbs.ConnectionIdentifier;
import io.verbena.verbs.VerbsException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The end of a connection, on a thread of {@link Departures} because the connection manager may
 * block: disconnects, lets the loop take what had arrived before, closes the queue pair, and
 * notifies the endpoint. Always finishes, whatever the peer does.
 */
final class Departure {
    private static final Logger LOG = LoggerFactory.getLogger(Departure.class);

    /** How long the device may take to return the posted receives. */
    private static final long FLUSH_MS = 1000;

    private final ConnectionIdentifier identifier;
    private final Executor threads;
    private final AtomicBoolean isStarted = new AtomicBoolean();
    private final CountDownLatch flushed = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);

    Departure(ConnectionIdentifier identifier, Executor threads) {
        this.identifier = identifier;
        this.threads = threads;
    }

    /** Starts the end of a connection, once; always the same one's. */
    void start(SocketEndpoint endpoint) {
        if (!isStarted.compareAndSet(false, true)) {
            return;
        }
        try {
            threads.execute(() -> run(endpoint));
        } catch (RuntimeException | Error e) {
            // no memory for a thread: whoever notices the end next tries again
            isStarted.set(false);
            LOG.error("{}: cannot end the connection now", identifier, e);
        }
    }

    /** A receive came back unused: everything that had arrived before was seen. */
    void onFlushed() {
        flushed.countDown();
    }

    private void run(SocketEndpoint endpoint) {
        try {
            identifier.disconnect();
            if (!flushed.await(FLUSH_MS, TimeUnit.MILLISECONDS)) {
                LOG.debug("{}: receives were not given back in time", identifier);
            }
        } catch (VerbsException e) {
            LOG.debug("{}: cannot disconnect", identifier, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            close(endpoint);
        }
    }

    private void close(SocketEndpoint endpoint) {
        try {
            identifier.close();
        } catch (RuntimeException | Error e) {
            LOG.warn("{}: cannot close", identifier, e);
        }
        try {
            endpoint.loop().inTurn(endpoint::end);
        } finally {
            ended.countDown();
        }
    }

    void awaitEnd() {
        boolean isInterrupted = false;
        while (true) {
            try {
                ended.await();
                break;
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
