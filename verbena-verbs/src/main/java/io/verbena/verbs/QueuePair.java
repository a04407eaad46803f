// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

/**
 * A send queue and a receive queue that share a connection state; {@code ibv_qp}. Reliable
 * connected.
 *
 * <p>Posting transfers ownership: a posted buffer may be neither written (nor read, if it is a
 * target) nor released until its completion has been polled. {@link #postSend} may be called by one
 * thread at a time; {@link #postReceive} by one, possibly another.
 */
public interface QueuePair extends AutoCloseable {
    /** {@return its number, 24 bits} */
    int number();

    /** {@return the protection domain it belongs to} */
    ProtectionDomain domain();

    /** {@return its completion queues and the sizes it really has, at least those asked for} */
    QueuePairOptions options();

    /** {@return its current state} */
    QueuePairState state();

    /** {@return every attribute that was set, and the state; {@code ibv_query_qp}} */
    QueuePairAttributes query();

    /**
     * Changes its state or settings; {@code ibv_modify_qp}.
     *
     * @param attributes what to set
     * @throws VerbsException with EINVAL; the message names the wrong transition or attribute
     */
    void modify(QueuePairAttributes attributes);

    /**
     * Posts a chain of send requests; {@code ibv_post_send}. Allocates nothing, never blocks.
     *
     * <p>The queue holds {@link QueuePairOptions#maxSendRequests} requests. A request's place
     * becomes free once its completion, or that of a later request, has been polled. A queue filled
     * with nothing but unsignaled requests stays full.
     *
     * @param first the first request of the chain
     * @return how many requests were taken, from the first on; fewer than the chain has if the
     *     queue is full
     * @throws VerbsException with EINVAL if the state does not allow sends or a request is
     *     malformed; requests before the malformed one were taken
     */
    int postSend(SendWorkRequest first);

    /**
     * Posts a chain of receives; {@code ibv_post_recv}. Allocates nothing, never blocks.
     *
     * @param first the first request of the chain
     * @return how many requests were taken, from the first on; fewer than the chain has if the
     *     queue is full
     * @throws VerbsException with EINVAL if the state does not allow receives or a request is
     *     malformed; requests before the malformed one were taken
     */
    int postReceive(ReceiveWorkRequest first);

    /**
     * Takes a queue pair in state RESET (or INIT) to READY_TO_SEND, connected to a peer: the usual
     * three steps.
     *
     * @param remote the peer
     * @param settings everything else
     */
    default void connect(QueuePairAddress remote, ConnectionSettings settings) {
        if (state() == QueuePairState.RESET) {
            modify(settings.toInit());
        }
        modify(settings.toReadyToReceive(remote));
        modify(settings.toReadyToSend());
    }

    /** Destroys it; requests still posted get no completions; {@code ibv_destroy_qp}. */
    @Override
    void close();
}
