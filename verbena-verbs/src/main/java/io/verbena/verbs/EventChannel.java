// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

import java.time.Duration;
import java.util.Optional;

/** Where connection identifiers report; {@code rdma_event_channel}. */
public interface EventChannel extends AutoCloseable {
    /** {@return the context it was made from} */
    DeviceContext context();

    /** {@return a new identifier that reports here; {@code rdma_create_id}, port space TCP} */
    ConnectionIdentifier createIdentifier();

    /**
     * {@return the next event, waiting for one if necessary; {@code rdma_get_cm_event}} The event
     * is a copy and needs no acknowledgement.
     *
     * @throws InterruptedException if the thread was interrupted
     */
    ConnectionEvent awaitEvent() throws InterruptedException;

    /**
     * {@return the next event, or empty if none came in time}
     *
     * @param timeout how long to wait; zero polls
     * @throws InterruptedException if the thread was interrupted
     */
    Optional<ConnectionEvent> awaitEvent(Duration timeout) throws InterruptedException;

    /** Closes the identifiers that report here, wakes waiting threads, then closes the channel. */
    @Override
    void close();
}
