// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import io.verbena.completion.Faults;
import io.verbena.memory.internal.Threads;
import io.verbena.verbs.ConnectionEvent;
import io.verbena.verbs.ConnectionEventType;
import io.verbena.verbs.ConnectionIdentifier;
import io.verbena.verbs.EventChannel;
import io.verbena.verbs.VerbsException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One channel and one thread that are notified when an established connection ends. */
final class Farewells implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Farewells.class);

    /** How often it looks after ends that could not be started. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private static final long PAUSE_NS = 100_000_000;

    private final Runnable onBroken;
    private final Runnable chore;
    private final EventChannel channel;
    private final Thread thread;

    /** When the chore is due. Its thread. */
    private long nextChoreNs = System.nanoTime();

    /** Why it cannot be notified any more, if that is so. */
    private volatile Optional<Throwable> failure = Optional.empty();

    /**
     * Starts the thread.
     *
     * @param channel where connections report; it is closed with this
     * @param onBroken called now and then from the time on when it cannot be notified any more
     * @param chore done about once a second, however many events there are
     */
    Farewells(EventChannel channel, Runnable onBroken, Runnable chore) {
        this.onBroken = onBroken;
        this.chore = chore;
        this.channel = channel;
        this.thread =
                Thread.ofPlatform().name("verbena-socket-farewells").daemon(true).start(this::run);
    }

    /** Watches a connection from now on; if it has ended already, that is not lost. */
    void watch(ConnectionIdentifier identifier, SocketEndpoint endpoint) {
        identifier.attach(endpoint);
        identifier.migrate(channel);
    }

    /** {@return why it cannot be notified any more, if that is so} Any thread. */
    Optional<Throwable> failure() {
        return failure;
    }

    private void run() {
        while (!Thread.currentThread().isInterrupted()) {
            try {
                if (failure.isEmpty()) {
                    channel.awaitEvent(PATIENCE).ifPresent(Farewells::tell);
                } else {
                    onBroken.run();
                    LockSupport.parkNanos(PATIENCE.toNanos());
                }
                runChore();
            } catch (InterruptedException e) {
                LOG.trace("no more farewells", e);
                return;
            } catch (VerbsException | IllegalStateException e) {
                Faults.warn(Farewells.class, "no more ends are reported: all end now", channel, e);
                failure = Optional.of(e);
            } catch (Throwable e) { // without this thread, no end would be noticed any more
                Faults.warn(Farewells.class, "an event could not be read", channel, e);
                // what comes back at once must not fill the log at full speed
                LockSupport.parkNanos(PAUSE_NS);
            }
        }
    }

    /** By time, not after each event: the chore looks at all connections, which may all end now. */
    private void runChore() {
        long now = System.nanoTime();
        if (now - nextChoreNs >= 0) {
            nextChoreNs = now + PATIENCE.toNanos();
            chore.run();
        }
    }

    private static void tell(ConnectionEvent event) {
        try {
            boolean isEnd =
                    event.type() == ConnectionEventType.DISCONNECTED
                            || event.type() == ConnectionEventType.DEVICE_REMOVAL;
            if (isEnd && event.identifier().attachment() instanceof SocketEndpoint endpoint) {
                endpoint.depart();
            }
        } catch (Throwable e) { // other connections must not suffer
            Faults.warn(Farewells.class, "an event could not be handled", event.type(), e);
        }
    }

    @Override
    public void close() {
        thread.interrupt();
        Threads.awaitEnd(thread);
        channel.close();
    }
}
