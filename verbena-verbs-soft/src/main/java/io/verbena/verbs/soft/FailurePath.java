// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.WorkCompletionStatus;

/**
 * How a queue pair enters the error state, and what it does there: it gives up the wire and
 * completes what is posted. Used inside the turn.
 */
final class FailurePath {
    private final QueuePairEngine engine;
    private final QueuePairLife life;
    private final Completer completer;
    private final Responder responder;

    /** The status of the oldest send request; all others are flushed. */
    private WorkCompletionStatus first = WorkCompletionStatus.WORK_REQUEST_FLUSHED;

    FailurePath(QueuePairEngine engine, QueuePairLife life, Roles roles) {
        this.engine = engine;
        this.life = life;
        this.completer = roles.completer();
        this.responder = roles.responder();
    }

    /** Fails with a status for the oldest send request. */
    void fail(WorkCompletionStatus status) {
        enter(status, false);
    }

    /** Fails because an incoming request was refused; the sender already knows. */
    void failReceive(AsyncEventType event) {
        enter(WorkCompletionStatus.WORK_REQUEST_FLUSHED, true);
        engine.report(event);
    }

    /**
     * Fails because of an unexpected throwable, such as a lost page of a mapping. Throws nothing:
     * the thread belongs to the application, or serves other queue pairs, and must leave the turn.
     */
    void failUnexpectedly(Throwable cause) {
        try {
            fail(WorkCompletionStatus.LOCAL_QP_OPERATION);
        } catch (Throwable _) {
            // there may be no memory to keep it; the state is ERROR, and the next run flushes
        }
        try {
            engine.report(AsyncEventType.QP_FATAL);
            engine.log(cause);
        } catch (Throwable _) {
            // not even a log record could be made; the state and the completions say it
        }
    }

    private void enter(WorkCompletionStatus status, boolean isRefused) {
        if (life.isFailed()) {
            return;
        }
        first = status;
        life.fail();
        // pairs with the check of the state after a receive was posted
        Fences.afterAnnounce();
        if (life.isOpen()) {
            giveUpWire(isRefused);
        }
        flush();
    }

    /**
     * Stops using the wire and announces it; the peer's memory may be gone by now.
     *
     * @param isRefused whether the peer already got a more specific reason
     */
    void giveUpWire(boolean isRefused) {
        life.wire().close();
        try {
            responder.close(isRefused);
            engine.peerWatch().notifyPeer();
            MemoryFault.surface();
        } catch (IllegalStateException | InternalError e) {
            engine.log(e);
        }
    }

    /** Completes what is posted with an error status. */
    void flush() {
        if (completer.mayFlush()) {
            completer.flush(first);
            first = WorkCompletionStatus.WORK_REQUEST_FLUSHED;
        }
        responder.flush();
    }

    void reset() {
        first = WorkCompletionStatus.WORK_REQUEST_FLUSHED;
    }
}
