// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

import java.util.Optional;

/**
 * Something that happened outside any work request; {@code ibv_async_event}.
 *
 * @param type what happened
 * @param queuePair the queue pair it happened to, if any
 * @param completionQueue the completion queue it happened to, if any
 * @param port the port it happened to, or 0
 */
public record AsyncEvent(
        AsyncEventType type,
        Optional<QueuePair> queuePair,
        Optional<CompletionQueue> completionQueue,
        int port) {
    /**
     * {@return an event of a queue pair}
     *
     * @param type what happened
     * @param pair the queue pair
     */
    public static AsyncEvent of(AsyncEventType type, QueuePair pair) {
        return new AsyncEvent(type, Optional.of(pair), Optional.empty(), 0);
    }

    /**
     * {@return an event of a completion queue}
     *
     * @param type what happened
     * @param queue the completion queue
     */
    public static AsyncEvent of(AsyncEventType type, CompletionQueue queue) {
        return new AsyncEvent(type, Optional.empty(), Optional.of(queue), 0);
    }

    /**
     * {@return an event of a port, or of the device for port 0}
     *
     * @param type what happened
     * @param port the port, or 0
     */
    public static AsyncEvent of(AsyncEventType type, int port) {
        return new AsyncEvent(type, Optional.empty(), Optional.empty(), port);
    }
}
