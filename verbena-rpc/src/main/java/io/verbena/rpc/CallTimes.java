// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.util.concurrent.TimeUnit;

/** The times of a call: when a backup request is due, and when it is over. For its owner. */
final class CallTimes {
    /** No deadline: far in the future, but comparing two such times does not overflow. */
    private static final long FOR_EVER_NS = TimeUnit.DAYS.toNanos(36_500);

    private CallTimes() {}

    /** Plans the next try for later; no backup request goes with it. */
    static void planRetry(PendingCall call, long backoffNs) {
        call.retryNs = System.nanoTime() + backoffNs;
        call.isBackupPlanned = false;
        call.isRetryPlanned = true;
        planWake(call);
    }

    /** Has the timer look at a call when its next try is due, or when its time is over. */
    static void planWake(PendingCall call) {
        boolean isRetryFirst = call.isRetryPlanned && call.retryNs - call.deadlineNs < 0;
        call.wakeNs(isRetryFirst ? call.retryNs : call.deadlineNs);
    }

    /** {@return whether a call has no time limit} */
    static boolean isUnlimited(PendingCall call) {
        return call.timeoutNs >= FOR_EVER_NS;
    }

    /** Sets the times of a call that begins. */
    static void plan(PendingCall call, ClientController controller, ChannelOptions options) {
        long now = System.nanoTime();
        int timeoutMs = controller.timeoutMs(options.timeoutMs());
        int backupMs = controller.backupRequestMs(options.backupRequestMs());
        call.startNs = now;
        long limitNs = timeoutMs < 0 ? FOR_EVER_NS : TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        // a service's own client does not wait longer than it said
        call.timeoutNs = Math.clamp(CurrentCall.remainingNs(), 0, limitNs);
        call.deadlineNs = now + call.timeoutNs;
        call.connectingNs = 0;
        // as in brpc: the streams of a call are those of one try
        call.isBackupPlanned =
                controller.streams() == null
                        && backupMs >= 0
                        && (timeoutMs < 0 || backupMs < timeoutMs);
        call.wakeNs(
                call.isBackupPlanned
                        ? now + TimeUnit.MILLISECONDS.toNanos(backupMs)
                        : call.deadlineNs);
    }

    /**
     * {@return whether a call may be tried again: connecting does not use up its time} The owner.
     */
    static boolean isTimeLeft(PendingCall call) {
        long now = System.nanoTime();
        return now - call.deadlineNs < 0 || tryExtend(call, now);
    }

    /**
     * {@return whether the deadline is later than it was, because part of the time was spent on
     * connecting} The owner.
     */
    static boolean tryExtend(PendingCall call, long nowNs) {
        ChannelOptions options = call.settings.options();
        if (options.isConnectingCounted()) {
            return false;
        }
        noteConnecting(call, nowNs);
        long connectingNs =
                Math.min(
                        call.connectingNs,
                        TimeUnit.MILLISECONDS.toNanos(options.connectTimeoutMs()));
        long extendedNs = call.startNs + call.timeoutNs + connectingNs;
        if (extendedNs - nowNs <= 0) {
            return false;
        }
        call.deadlineNs = extendedNs;
        return true;
    }

    /**
     * Adds what the latest try has spent on connecting so far: that is not part of the call's time.
     * The owner, at the latest before another try begins.
     */
    static void noteConnecting(PendingCall call, long nowNs) {
        ClientSocket socket = call.socket;
        if (socket != null) {
            long untilNs = socket.isOpen() ? socket.openedNs() : nowNs;
            call.connectingNs += Math.max(untilNs - call.connectingSinceNs, 0);
            call.connectingSinceNs = nowNs;
        }
    }

    /** {@return the error text of a call whose time is over} */
    static String timedOut(PendingCall call) {
        int code = RpcError.ERPCTIMEDOUT.code();
        try {
            long afterMs = TimeUnit.NANOSECONDS.toMillis(call.timeoutNs);
            return "[E" + code + "]reached timeout=" + afterMs + "ms";
        } catch (OutOfMemoryError e) {
            return "reached timeout";
        }
    }
}
