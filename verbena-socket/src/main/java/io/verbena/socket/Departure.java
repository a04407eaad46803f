// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import io.verbena.completion.Faults;
import io.verbena.verbs.ConnectionIdentifier;
import io.verbena.verbs.VerbsException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
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

    /** How often a thread that waits for the end looks whether somebody has begun it. */
    private static final long LOOK_MS = 100;

    /** How long to wait for memory to end with. */
    private static final long PAUSE_NS = 100_000_000;

    private final ConnectionIdentifier identifier;
    private final Executor threads;
    private final AtomicBoolean isStarted = new AtomicBoolean();
    private final AtomicBoolean isBegun = new AtomicBoolean();
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
        } catch (Throwable e) {
            // no memory for a thread: who waits for the end does it, or the farewells start it
            isStarted.set(false);
            Faults.warn(Departure.class, "cannot end the connection now", identifier, e);
        }
    }

    /** A receive came back unused: everything that had arrived before was seen. */
    void onFlushed() {
        flushed.countDown();
    }

    private void run(SocketEndpoint endpoint) {
        // an executor may keep a task although it throws; then somebody else has done this already
        if (!isBegun.compareAndSet(false, true)) {
            return;
        }
        try {
            identifier.disconnect();
            if (!flushed.await(FLUSH_MS, TimeUnit.MILLISECONDS)) {
                LOG.debug("{}: receives were not given back in time", identifier);
            }
        } catch (VerbsException e) {
            LOG.debug("{}: cannot disconnect", identifier, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Throwable e) { // the connection ends all the same
            Faults.warn(Departure.class, "cannot disconnect", identifier, e);
        } finally {
            close(endpoint);
        }
    }

    private void close(SocketEndpoint endpoint) {
        try {
            identifier.close();
        } catch (Throwable e) { // the connection ends all the same
            Faults.warn(Departure.class, "cannot close", identifier, e);
        }
        try {
            end(endpoint);
        } finally {
            ended.countDown();
        }
    }

    /** Until it succeeds: the users of the connection wait for it, and the loop waits to end. */
    private void end(SocketEndpoint endpoint) {
        boolean isOver = endpoint.isEnded();
        while (!isOver) {
            try {
                endpoint.loop().inTurn(endpoint::end);
                isOver = true;
            } catch (Throwable e) {
                // what failed may be a neighbour that was served on the same occasion
                isOver = endpoint.isEnded();
                Faults.warn(Departure.class, "cannot end the connection now", identifier, e);
                LockSupport.parkNanos(PAUSE_NS);
            }
        }
    }

    /**
     * Waits for the end that was started; if there was no thread for it, the caller does what is to
     * be done. Outside the turn.
     */
    void awaitEnd(SocketEndpoint endpoint) {
        boolean isEnded = false;
        boolean isInterrupted = false;
        while (!isEnded) {
            try {
                if (isStarted.compareAndSet(false, true)) {
                    run(endpoint);
                }
                isEnded = ended.await(LOOK_MS, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
