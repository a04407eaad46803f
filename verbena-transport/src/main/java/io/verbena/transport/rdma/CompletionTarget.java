// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.verbs.WorkCompletion;

/** Receives the completions of a slot. Called only inside the poller's turn. */
interface CompletionTarget {
    /** {@return the generation its work requests carry} */
    int generation();

    /**
     * A send request has completed or failed.
     *
     * @param completion the cursor on the completion
     */
    void onSend(WorkCompletion completion);

    /**
     * A receive has completed or failed.
     *
     * @param completion the cursor on the completion
     */
    void onReceive(WorkCompletion completion);

    /** All completions of a poll were delivered. May be called more than once for one poll. */
    void onBatchEnd();

    /**
     * One of the methods above has thrown; no other target is affected.
     *
     * @param cause what
     */
    void onFault(Throwable cause);

    /**
     * No more completions will come: a completion queue is broken.
     *
     * @param cause the failure of polling or arming it
     */
    void onQueueFailure(Throwable cause);
}
