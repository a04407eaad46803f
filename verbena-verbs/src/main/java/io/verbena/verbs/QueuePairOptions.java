// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

import java.util.Objects;

/**
 * The queues of a new queue pair and their sizes; {@code ibv_qp_init_attr}. Reliable connected.
 *
 * @param sendQueue where send requests complete
 * @param receiveQueue where receives complete
 * @param maxSendRequests how many send requests may be outstanding
 * @param maxReceiveRequests how many receives may be outstanding
 * @param maxSendElements the most elements in a send request
 * @param maxReceiveElements the most elements in a receive
 * @param maxInlineBytes the most bytes in an inline send
 * @param signalAll whether every send produces a completion, signaled or not ({@code sq_sig_all})
 */
public record QueuePairOptions(
        CompletionQueue sendQueue,
        CompletionQueue receiveQueue,
        int maxSendRequests,
        int maxReceiveRequests,
        int maxSendElements,
        int maxReceiveElements,
        int maxInlineBytes,
        boolean signalAll) {
    /** Checks that the queues are given. */
    public QueuePairOptions {
        Objects.requireNonNull(sendQueue, "sendQueue");
        Objects.requireNonNull(receiveQueue, "receiveQueue");
    }

    /**
     * {@return options with one completion queue for both directions, 16 requests each way, one
     * element each, no inline data}
     *
     * @param queue where everything completes
     */
    public static QueuePairOptions of(CompletionQueue queue) {
        return new QueuePairOptions(queue, queue, 16, 16, 1, 1, 0, false);
    }

    /**
     * {@return these options with other queue lengths}
     *
     * @param send how many send requests may be outstanding
     * @param receive how many receives may be outstanding
     */
    public QueuePairOptions withRequests(int send, int receive) {
        return new QueuePairOptions(
                sendQueue,
                receiveQueue,
                send,
                receive,
                maxSendElements,
                maxReceiveElements,
                maxInlineBytes,
                signalAll);
    }

    /**
     * {@return these options with other numbers of elements}
     *
     * @param send the most elements of a send request
     * @param receive the most elements of a receive
     */
    public QueuePairOptions withElements(int send, int receive) {
        return new QueuePairOptions(
                sendQueue,
                receiveQueue,
                maxSendRequests,
                maxReceiveRequests,
                send,
                receive,
                maxInlineBytes,
                signalAll);
    }

    /**
     * {@return these options with room for inline data}
     *
     * @param bytes the most bytes of an inline send
     */
    public QueuePairOptions withInline(int bytes) {
        return new QueuePairOptions(
                sendQueue,
                receiveQueue,
                maxSendRequests,
                maxReceiveRequests,
                maxSendElements,
                maxReceiveElements,
                bytes,
                signalAll);
    }

    /**
     * {@return these options with a separate completion queue for receives}
     *
     * @param queue where receives complete
     */
    public QueuePairOptions withReceiveQueue(CompletionQueue queue) {
        return new QueuePairOptions(
                sendQueue,
                queue,
                maxSendRequests,
                maxReceiveRequests,
                maxSendElements,
                maxReceiveElements,
                maxInlineBytes,
                signalAll);
    }

    /** {@return these options, with a completion for every send} */
    public QueuePairOptions withSignalAll() {
        return new QueuePairOptions(
                sendQueue,
                receiveQueue,
                maxSendRequests,
                maxReceiveRequests,
                maxSendElements,
                maxReceiveElements,
                maxInlineBytes,
                true);
    }
}
