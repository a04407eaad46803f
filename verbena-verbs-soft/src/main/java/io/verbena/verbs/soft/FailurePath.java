// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.WorkCompletionStatus;

/**
 * How a queue pair gets into the error state, and what it does there: give up the wire and complete
 * what is posted. Used inside the turn.
 */
final class FailurePath {
    private final QueuePairEngine engine;
    private final QueuePairLife life;
    private final Completer completer;
    private final Responder responder;

    /** What the oldest send request completes with; all others are flushed. */
    private WorkCompletionStatus first = WorkCompletionStatus.WORK_REQUEST_FLUSHED;

    FailurePath(QueuePairEngine engine, QueuePairLife life, Roles roles) {
        this.engine = engine;
        this.life = life;
        this.completer = roles.completer();
        this.responder = roles.responder();
    }

    /** Ends with a status for the oldest send request. */
    void fail(WorkCompletionStatus status) {
        enter(status, false);
    }

    /** Ends because an incoming request was refused, of which the sender has been told. */
    void failReceive(AsyncEventType event) {
        enter(WorkCompletionStatus.WORK_REQUEST_FLUSHED, true);
        engine.report(event);
    }

    /** Ends because something was thrown that nobody expected, such as a lost page of a mapping. */
    void failUnexpectedly(Throwable cause) {
        engine.log(cause);
        try {
            fail(WorkCompletionStatus.LOCAL_QP_OPERATION);
        } catch (RuntimeException | InternalError e) {
            engine.log(e);
        }
        engine.report(AsyncEventType.QP_FATAL);
    }

    private void enter(WorkCompletionStatus status, boolean isRefused) {
        if (life.isFailed()) {
            return;
        }
        first = status;
        life.fail();
        // pairs with the look at the state after a receive was posted
        Fences.afterAnnounce();
        if (life.isOpen()) {
            giveUpWire(isRefused);
        }
        flush();
    }

    /**
     * Stops using the wire and says so; the peer's memory may be gone by now.
     *
     * @param isRefused whether the peer was told a better reason already
     */
    void giveUpWire(boolean isRefused) {
        life.wire().close();
        try {
            responder.close(isRefused);
            engine.peerWatch().notifyPeer();
        } catch (IllegalStateException | InternalError e) {
            engine.log(e);
        }
    }

    /** Completes what is posted in error. */
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
