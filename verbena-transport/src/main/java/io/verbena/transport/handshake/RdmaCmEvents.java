// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.handshake;

import io.verbena.completion.EnduringTask;
import io.verbena.completion.Faults;
import io.verbena.memory.internal.Threads;
import io.verbena.verbs.ConnectionEvent;
import io.verbena.verbs.ConnectionIdentifier;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.EventChannel;
import io.verbena.verbs.VerbsException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The events of RDMA's connection manager: one channel and one thread for all connections of a
 * transport that are made with it. Each event goes to the listener attached to its identifier.
 */
public final class RdmaCmEvents implements AutoCloseable {
    /** Called with an identifier's events, on the thread that reads the channel. */
    interface Listener {
        void onEvent(ConnectionEvent event);
    }

    private static final Logger LOG = LoggerFactory.getLogger(RdmaCmEvents.class);
    private static final int BACKLOG = 128;

    /** How often the thread checks whether it should end. */
    private static final Duration PATIENCE = Duration.ofMillis(200);

    private final SecureRandom random = new SecureRandom();
    private final EventChannel channel;
    private final Thread thread;
    private volatile boolean isClosed;

    /** Why there are no more events, if that is so. */
    private volatile Optional<VerbsException> failure = Optional.empty();

    /**
     * Opens a channel and starts its thread.
     *
     * @param context the device
     */
    public RdmaCmEvents(DeviceContext context) {
        channel = context.createEventChannel();
        thread = Thread.ofPlatform().daemon().name("verbena-cm").start(new EnduringTask(this::run));
    }

    /** {@return a new identifier whose events go to a listener} */
    ConnectionIdentifier create(Listener listener) {
        // otherwise it would wait for events until the time limit of its handshake
        failure.ifPresent(RdmaCmEvents::refuse);
        ConnectionIdentifier identifier = channel.createIdentifier();
        identifier.attach(listener);
        return identifier;
    }

    /** {@return a listening identifier; requests go to the listener} */
    ConnectionIdentifier listen(InetSocketAddress address, Listener listener) {
        ConnectionIdentifier identifier = create(listener);
        try {
            identifier.bind(address);
            identifier.listen(BACKLOG);
            return identifier;
        } catch (VerbsException e) {
            identifier.close();
            throw e;
        }
    }

    /** {@return a token that no other client can guess} */
    int nextToken() {
        return RdmaCmMessages.token(random);
    }

    private static void refuse(VerbsException cause) {
        throw new VerbsException(cause.verb(), cause.errno(), "the connection manager has failed");
    }

    private void run() {
        while (!isClosed && failure.isEmpty()) {
            try {
                channel.awaitEvent(PATIENCE).ifPresent(this::tell);
            } catch (InterruptedException e) {
                LOG.debug("the connection manager ends", e);
                return;
            } catch (VerbsException e) {
                if (!isClosed) {
                    LOG.error("the connection manager failed; no more connections with it", e);
                }
                failure = Optional.of(e);
            } catch (Throwable e) { // without this thread, no connection would begin any more
                Faults.warn(RdmaCmEvents.class, "an event could not be read", channel, e);
                // what comes back at once must not fill the log at full speed
                LockSupport.parkNanos(PATIENCE.toNanos());
            }
        }
    }

    private void tell(ConnectionEvent event) {
        try {
            Object listener =
                    event.listener()
                            .map(ConnectionIdentifier::attachment)
                            .orElseGet(event.identifier()::attachment);
            if (listener instanceof Listener target) {
                target.onEvent(event);
            }
        } catch (Throwable e) { // other connections must not suffer
            Faults.warn(RdmaCmEvents.class, "an event could not be handled", event.type(), e);
        }
    }

    /** Ends the thread, then closes the identifiers that are left and the channel. */
    @Override
    public void close() {
        isClosed = true;
        Threads.awaitEnd(thread);
        channel.close();
    }
}
