// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

/**
 * Where an endpoint is in its life.
 *
 * <pre>
 *   RUNNING ── close ─────────────> CLOSING ── drained, or time limit ──┐
 *      │                               └── failed ──> CLOSE_FAILED ─────┤
 *      ├── flushed ──> FLUSHED ── cause ──┐                             ├──> ENDING ──> GONE
 *      ├── failed ────────────────────────┴──> FAILED ── grace is over ─┤
 *      └── fault ────────────────────────────> BROKEN ── next task ─────┘
 * </pre>
 *
 * <p>A fault breaks every phase left of ENDING; the end of TCP moves each of them to ENDING.
 */
enum EndpointPhase {
    /** Bytes flow, or will once it is opened. */
    RUNNING,
    /** Closed by this side: no more writes are taken, what was written is still sent. */
    CLOSING,
    /** Requests were flushed: one has failed, and which is not known yet. Waits like FAILED. */
    FLUSHED,
    /** A request has failed: waits a moment, because TCP may report that the peer has closed. */
    FAILED,
    /** A request has failed while closing: ends with the reason of the close. */
    CLOSE_FAILED,
    /** A fault that is not the peer's end: ends with the dispatcher's next task. */
    BROKEN,
    /**
     * The only callback still to come is the end; a thread may still be inside the posting turn.
     */
    ENDING,
    /** The queue pair and all memory are given back. */
    GONE;

    /** {@return whether requests may be posted and windows move} */
    boolean isHealthy() {
        return this == RUNNING || this == CLOSING;
    }

    /** {@return whether completions still matter: what has arrived is valid in any case} */
    boolean takesCompletions() {
        return this != BROKEN && !isOver();
    }

    /** {@return whether its end has begun} */
    boolean isOver() {
        return this == ENDING || this == GONE;
    }

    /**
     * {@return whether a failed request is news}
     *
     * @param isFlushed whether it failed only because another one had
     */
    boolean learnsFrom(boolean isFlushed) {
        return isHealthy() || this == FLUSHED && !isFlushed;
    }
}
