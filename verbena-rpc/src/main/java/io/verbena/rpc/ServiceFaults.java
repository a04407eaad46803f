// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns what a service throws into the answer of its call. */
final class ServiceFaults {
    private static final Logger LOG = LoggerFactory.getLogger(ServiceFaults.class);

    private ServiceFaults() {}

    /**
     * Answers a call whose service failed: an {@link RpcException} says what the client gets,
     * anything else is a fault of the service, which the log keeps.
     */
    static void answer(IncomingCall call, Throwable thrown) {
        Throwable failure = unwrap(thrown);
        boolean isSaid = failure instanceof RpcException;
        if (!isSaid) {
            LOG.warn("{} failed", call.method(), failure);
        }
        if (call.isOver()) {
            return;
        }
        if (isSaid) {
            call.setFailed(((RpcException) failure).code(), ((RpcException) failure).text());
        } else {
            call.setFailed("the service failed: " + failure);
        }
        call.run(null);
    }

    private static Throwable unwrap(Throwable thrown) {
        boolean isWrapped =
                thrown instanceof CompletionException || thrown instanceof ExecutionException;
        return isWrapped && thrown.getCause() != null ? thrown.getCause() : thrown;
    }
}
