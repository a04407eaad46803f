// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.util.Optional;

/** The call whose service the current thread runs, so that calls it makes share its deadline. */
final class CurrentCall {
    private static final ScopedValue<IncomingCall> CALL = ScopedValue.newInstance();

    /**
     * Whether this process has ever run a service: if not, nothing is looked up for its calls. Not
     * volatile: a thread that runs a service has written it, and no other has a current call.
     */
    private static boolean hasServed;

    private CurrentCall() {}

    /** Runs a service as the current call of this thread. Its client says how long it waits. */
    static void run(IncomingCall call, Runnable service) {
        if (!hasServed) {
            hasServed = true;
        }
        ScopedValue.where(CALL, call).run(service);
    }

    static Optional<Call> get() {
        return CALL.isBound() ? Optional.of(CALL.get()) : Optional.empty();
    }

    /** {@return how long the current call's client still waits, if there is a limit} */
    static long remainingNs() {
        return hasServed && CALL.isBound() ? CALL.get().remainingNs() : Long.MAX_VALUE;
    }
}
