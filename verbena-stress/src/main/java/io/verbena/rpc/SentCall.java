// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

/** A call that was sent, and the events that may end it. Each returns 1 if it was the one. */
final class SentCall {
    private final CallTable table = new CallTable();
    private final PendingCall call = table.take();
    private final long id = call.id();

    SentCall() {
        call.publish();
    }

    private int end() {
        call.end();
        call.free();
        table.giveBack(call);
        return 1;
    }

    /** An answer to the try that was sent. */
    int answer() {
        return table.find(id).tryClaim(id) ? end() : 0;
    }

    /** The timer, which does not wait, but looks again later. */
    int deadline() {
        long seen = call.stateWord();
        while (CallId.isSameCall(PendingCall.id(seen), id)
                && PendingCall.phase(seen) != PendingCall.ENDING) {
            if (call.tryOwnFrom(seen)) {
                return end();
            }
            seen = call.stateWord();
        }
        return 0;
    }

    /** The end of the connection: finds the call, and looks whether a try was on it. */
    int death() {
        if (!call.tryOwn(id)) {
            return 0;
        }
        if (call.isAnyUnderWay()) {
            return end();
        }
        call.publish();
        return 0;
    }

    /** The caller. */
    int cancel() {
        return table.find(id).tryOwn(id) ? end() : 0;
    }

    /** {@return how many calls are left} */
    int left() {
        return table.underWay();
    }
}
