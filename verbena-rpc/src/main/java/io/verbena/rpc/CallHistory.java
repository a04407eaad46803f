// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What an error text says about the tries of a call, in brpc's words. For its owner. */
final class CallHistory {
    private static final Logger LOG = LoggerFactory.getLogger(CallHistory.class);

    private CallHistory() {}

    /** A try has failed, and another one follows. */
    static void note(PendingCall call, int attempt, TryFailure failure) {
        try {
            prefix(call.history, attempt).append(failure.text()).append(' ');
        } catch (OutOfMemoryError e) {
            LOG.debug("a failure is missing in the error text", e);
        }
    }

    /** {@return all failures, the latest last} */
    static String describe(PendingCall call, int attempt, TryFailure failure) {
        try {
            return prefix(call.history, attempt).append(failure.text()).toString();
        } catch (OutOfMemoryError e) {
            return failure.text();
        }
    }

    private static StringBuilder prefix(StringBuilder text, int attempt) {
        return attempt == 0 ? text : text.append("[R").append(attempt).append(']');
    }

    /** {@return the failures so far, and then a text} */
    static String withHistory(PendingCall call, String text) {
        try {
            return call.history + text;
        } catch (OutOfMemoryError e) {
            return text;
        }
    }
}
