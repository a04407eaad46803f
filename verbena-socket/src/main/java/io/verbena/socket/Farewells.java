// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import io.verbena.memory.internal.Threads;
import io.verbena.verbs.ConnectionEvent;
import io.verbena.verbs.ConnectionEventType;
import io.verbena.verbs.ConnectionIdentifier;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.EventChannel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One channel and one thread that are notified when an established connection ends. */
final class Farewells implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Farewells.class);

    private final Runnable onBroken;
    private final EventChannel channel;
    private final Thread thread;

    /**
     * Starts the thread.
     *
     * @param context the device
     * @param onBroken called if it cannot be notified any more
     */
    Farewells(DeviceContext context, Runnable onBroken) {
        this.onBroken = onBroken;
        this.channel = context.createEventChannel();
        this.thread =
                Thread.ofPlatform().name("verbena-socket-farewells").daemon(true).start(this::run);
    }

    /** Watches a connection from now on; if it has ended already, that is not lost. */
    void watch(ConnectionIdentifier identifier, SocketEndpoint endpoint) {
        identifier.attach(endpoint);
        identifier.migrate(channel);
    }

    private void run() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                tell(channel.awaitEvent());
            }
        } catch (InterruptedException e) {
            LOG.trace("no more farewells", e);
        } catch (RuntimeException | Error e) {
            LOG.error("ends of connections are no longer reported: all of them end now", e);
            onBroken.run();
        }
    }

    private static void tell(ConnectionEvent event) {
        boolean isEnd =
                event.type() == ConnectionEventType.DISCONNECTED
                        || event.type() == ConnectionEventType.DEVICE_REMOVAL;
        if (isEnd && event.identifier().attachment() instanceof SocketEndpoint endpoint) {
            endpoint.depart();
        }
    }

    @Override
    public void close() {
        thread.interrupt();
        Threads.awaitEnd(thread);
        channel.close();
    }
}
