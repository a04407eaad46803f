// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Turns what a service throws into the answer of its call. */
final class ServiceFaults {
    private ServiceFaults() {}

    /**
     * Answers a call whose service failed: an {@link RpcException} says what the client gets,
     * anything else is a fault of the service, which the log keeps. Never throws.
     */
    static void answer(IncomingCall call, Throwable thrown) {
        if (unwrap(thrown) instanceof RpcException said && !call.isOver()) {
            call.setFailed(said.code(), said.text());
            call.run(null);
        } else {
            call.onFault("the service failed", unwrap(thrown));
        }
    }

    private static Throwable unwrap(Throwable thrown) {
        boolean isWrapped =
                thrown instanceof CompletionException || thrown instanceof ExecutionException;
        return isWrapped && thrown.getCause() != null ? thrown.getCause() : thrown;
    }
}
