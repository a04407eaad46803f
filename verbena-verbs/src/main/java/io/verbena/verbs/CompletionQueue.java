// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

/**
 * Where work requests report that they are done; {@code ibv_cq}. A completion that finds the queue
 * full is lost: {@link AsyncEventType#CQ_ERROR} is reported, and every later poll fails. Create a
 * queue with room for every request its queue pairs may have outstanding.
 */
public interface CompletionQueue extends AutoCloseable {
    /** Which completions raise an event. */
    enum Notification {
        /** Every completion. */
        ANY,
        /** Receives that the sender marked as solicited, and failures. */
        SOLICITED
    }

    /** {@return how many completions it can hold, at least as many as were asked for} */
    int depth();

    /**
     * Takes completions; {@code ibv_poll_cq}. Never blocks, allocates nothing.
     *
     * @param completions where to put them; at most its capacity is taken
     * @return how many were taken, 0 if there are none
     * @throws VerbsException if the queue has overflowed
     */
    int poll(WorkCompletion completions);

    /**
     * Asks for one event on the channel at the next completion; {@code ibv_req_notify_cq}.
     * Completions already in the queue raise no event: poll once more after this call, before
     * waiting.
     *
     * @param notification which completions count
     */
    void requestNotification(Notification notification);

    /**
     * Acknowledges events taken from the channel; {@code ibv_ack_cq_events}.
     *
     * @param count how many, at most those taken and not yet acknowledged
     */
    void acknowledgeEvents(int count);

    /** Closes the queue; fails with EBUSY while a queue pair still uses it. */
    @Override
    void close();
}
