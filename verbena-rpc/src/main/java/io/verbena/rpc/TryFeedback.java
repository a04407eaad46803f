// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.completion.Faults;
import java.util.function.Consumer;

/**
 * Tells the server of each try, and the balancer that chose it, how the try ended: once for each,
 * whatever happens to the call. For the call's owner.
 */
final class TryFeedback {
    private TryFeedback() {}

    /** A try goes to a server. */
    static void begin(PendingCall call, Target target) {
        call.target = target;
        // the first try begins with its call: one look at the clock less
        call.tryStartNs = CallId.attempt(call.id()) == 0 ? call.startNs : System.nanoTime();
        call.connectingSinceNs = call.tryStartNs;
    }

    /** A try has failed. */
    static void failed(PendingCall call, int attempt, int code) {
        if (attempt == CallId.attempt(call.id())) {
            endLatest(call, System.nanoTime(), code);
        } else {
            endOther(call, System.nanoTime(), code);
        }
    }

    /**
     * {@return the last try that was under way on a connection that has ended, or -1} If both were,
     * the one before has failed, too: otherwise the call would wait for it.
     */
    static int failedOn(PendingCall call, ClientSocket socket, TryFailure failure) {
        int attempt = call.attemptOn(socket);
        int latest = CallId.attempt(call.id());
        if (attempt < 0 || attempt == latest || !call.isOn(latest, socket)) {
            return attempt;
        }
        failed(call, attempt, failure.code());
        CallHistory.note(call, attempt, failure);
        call.drop(attempt);
        return latest;
    }

    /** One of two tries was answered: the other has nothing to say about its server. */
    static void answered(PendingCall call, int attempt) {
        if (call.otherTarget == null) {
            return;
        }
        int code = RpcError.EBACKUPREQUEST.code();
        if (attempt == CallId.attempt(call.id())) {
            endOther(call, System.nanoTime(), code);
        } else {
            endLatest(call, System.nanoTime(), code);
        }
    }

    /** The call is over, and with it what is still under way. */
    static void ended(PendingCall call, long nowNs, int code) {
        endLatest(call, nowNs, code);
        endOther(call, nowNs, code);
    }

    /**
     * The time of a call is over, and so are its tries. Told on another thread: a balancer may take
     * its time, and other deadlines must not wait. Never throws.
     *
     * @param worker runs a task on another thread, soon
     */
    static void tellLater(PendingCall call, long nowNs, int code, Consumer<Runnable> worker) {
        Target latest = call.target;
        Target other = call.otherTarget;
        long latestNs = nowNs - call.tryStartNs;
        long otherNs = nowNs - call.otherStartNs;
        call.target = null;
        call.otherTarget = null;
        try {
            worker.accept(
                    () -> {
                        tell(latest, latestNs, code);
                        tell(other, otherNs, code);
                    });
        } catch (Throwable e) {
            Faults.warn(TryFeedback.class, "the balancer is not told", latest, e);
        }
    }

    private static void tell(Target target, long latencyNs, int code) {
        if (target != null) {
            report(target, latencyNs, code);
        }
    }

    private static void endLatest(PendingCall call, long nowNs, int code) {
        Target target = call.target;
        if (target != null) {
            call.target = null;
            report(target, nowNs - call.tryStartNs, code);
        }
    }

    private static void endOther(PendingCall call, long nowNs, int code) {
        Target target = call.otherTarget;
        if (target != null) {
            call.otherTarget = null;
            report(target, nowNs - call.otherStartNs, code);
        }
    }

    /** Tells how a try went. Never throws. */
    static void report(Target target, long latencyNs, int code) {
        try {
            target.onFeedback(latencyNs, code);
        } catch (Throwable e) {
            Faults.warn(TryFeedback.class, "the balancer failed", target.node(), e);
        }
    }
}
