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

    /** Whether the peer is still to learn of it: telling it may fail for want of memory. */
    private boolean owesFarewell;

    /** Whether the peer already got a more specific reason. */
    private boolean isRefused;

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

    private void enter(WorkCompletionStatus status, boolean isPeerTold) {
        if (life.isFailed()) {
            return;
        }
        first = status;
        isRefused = isPeerTold;
        owesFarewell = life.isOpen();
        life.fail();
        // pairs with the check of the state after a receive was posted
        Fences.afterAnnounce();
        flush();
    }

    /** Stops using a wire that has not failed, and announces it. */
    void giveUpWire() {
        if (!life.isFailed()) {
            isRefused = false;
            owesFarewell = true;
        }
        bidFarewell();
    }

    /**
     * Stops using the wire and announces it; the peer's memory may be gone by now. If there is no
     * memory for that, the next run tries again: the peer would wait for answers for ever.
     */
    private void bidFarewell() {
        if (!owesFarewell) {
            return;
        }
        life.wire().close();
        try {
            responder.close(isRefused);
            engine.peerWatch().notifyPeer();
            MemoryFault.surface();
        } catch (IllegalStateException | InternalError e) {
            owesFarewell = false;
            engine.log(e);
        }
        owesFarewell = false;
    }

    /** Completes what is posted with an error status. */
    void flush() {
        try {
            bidFarewell();
            complete();
        } catch (OutOfMemoryError e) {
            // nothing else may ever run it again, and the peer waits for an answer
            engine.runAgain();
            throw e;
        }
    }

    private void complete() {
        if (completer.mayFlush()) {
            completer.flush(first);
            first = WorkCompletionStatus.WORK_REQUEST_FLUSHED;
        }
        responder.flush();
    }

    void reset() {
        owesFarewell = false;
        first = WorkCompletionStatus.WORK_REQUEST_FLUSHED;
    }
}
