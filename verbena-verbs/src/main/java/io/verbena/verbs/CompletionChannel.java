// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

import java.time.Duration;
import java.util.Optional;

/** Where completion queues report that there is something to poll; {@code ibv_comp_channel}. */
public interface CompletionChannel extends AutoCloseable {
    /**
     * {@return the completion queue that has an event, waiting for one if necessary; {@code
     * ibv_get_cq_event}}
     *
     * <p>Each event must be acknowledged by {@link CompletionQueue#acknowledgeEvents}.
     *
     * @throws InterruptedException if the thread was interrupted
     */
    CompletionQueue awaitEvent() throws InterruptedException;

    /**
     * {@return the completion queue that has an event, or empty if none came in time}
     *
     * @param timeout how long to wait; zero polls
     * @throws InterruptedException if the thread was interrupted
     */
    Optional<CompletionQueue> awaitEvent(Duration timeout) throws InterruptedException;

    /**
     * Closes the completion queues that report here, wakes waiting threads, then closes the
     * channel.
     */
    @Override
    void close();
}
