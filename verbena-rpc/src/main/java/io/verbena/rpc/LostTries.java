// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.completion.Faults;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;

/**
 * Finds the tries that were on connections that have ended. It waits for no owner of a call, which
 * may be in foreign code: the owner tells when it gives up the call, and the call is looked at
 * then.
 *
 * <p>Ordering: a connection is marked as ended before the table is scanned. So a call that is given
 * up after that finds the mark.
 */
final class LostTries {
    /** Receives tries that have failed. */
    interface Listener {
        /**
         * A try was on a connection that has ended. Gives up the call; never throws.
         *
         * @param call the call, owned and in MOVING
         * @param attempt the try
         * @param failure why it failed
         */
        void onLost(PendingCall call, int attempt, TryFailure failure);
    }

    private final CallTable table;
    private final Listener listener;
    private final Consumer<Runnable> worker;
    private final Consumer<PendingCall> lookLater = this::lookLater;

    /**
     * For the calls of a table.
     *
     * @param table the calls
     * @param listener receives the tries
     * @param worker runs a task on another thread, soon
     */
    LostTries(CallTable table, Listener listener, Consumer<Runnable> worker) {
        this.table = table;
        this.listener = listener;
        this.worker = worker;
    }

    /** A connection has ended, and says so. */
    void onClose(ClientSocket socket) {
        int capacity = table.capacity();
        for (int place = 0; place < capacity; place++) {
            PendingCall call = table.at(place);
            if (isConcerned(call, socket)) {
                // each on its own, for the next try of one call must not hold up the others
                lookSoon(call);
            }
        }
    }

    /** {@return whether a try may be on the connection; if its owner will say, not yet} */
    private boolean isConcerned(PendingCall call, ClientSocket socket) {
        while (true) {
            long seen = call.stateWord();
            switch (PendingCall.phase(seen)) {
                case PendingCall.WAITING -> {
                    boolean mayBe = call.mayBeOn(socket);
                    VarHandle.loadLoadFence();
                    if (mayBe || call.stateWord() == seen) {
                        return mayBe;
                    }
                }
                case PendingCall.MOVING -> {
                    if (call.tryAsk(seen, lookLater)) {
                        return false;
                    }
                }
                default -> {
                    return false;
                }
            }
        }
    }

    private void lookSoon(PendingCall call) {
        try {
            worker.accept(() -> look(call));
        } catch (OutOfMemoryError e) {
            // no memory for the task; a caller who never learns the outcome would be worse
            look(call);
        }
    }

    /** On the thread that gives up the call, which need not be one for foreign code. */
    private void lookLater(PendingCall call) {
        try {
            worker.accept(() -> look(call));
        } catch (Throwable e) {
            Faults.warn(LostTries.class, "a call is not looked at before its deadline", call, e);
        }
    }

    /** Fails the tries of a call, whichever is at its place, that were on ended connections. */
    private void look(PendingCall call) {
        while (true) {
            long seen = call.stateWord();
            int phase = PendingCall.phase(seen);
            if (phase == PendingCall.WAITING) {
                if (call.tryOwnFrom(seen) && !tryFail(call)) {
                    return;
                }
            } else if (phase != PendingCall.MOVING || call.tryAsk(seen, lookLater)) {
                return;
            }
        }
    }

    /** Gives up an owned call. {@return whether a try has failed} */
    private boolean tryFail(PendingCall call) {
        ClientSocket ended = call.endedSocket();
        if (ended == null) {
            call.publish();
            return false;
        }
        TryFailure failure = ended.loss();
        int attempt = TryFeedback.failedOn(call, ended, failure);
        listener.onLost(call, attempt, failure);
        return true;
    }
}
