// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import com.google.protobuf.RpcCallback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells callers that their call is over, where their code may run. */
final class Completion {
    private static final Logger LOG = LoggerFactory.getLogger(Completion.class);

    /** A callback of our own that runs no code of the user's. */
    interface Quick extends RpcCallback<Message> {}

    private Completion() {}

    static boolean isQuick(RpcCallback<Message> done) {
        return done instanceof Quick;
    }

    /** Tells it now. */
    static void runHere(RpcCallback<Message> done, Message result) {
        try {
            done.run(result);
        } catch (RuntimeException e) {
            LOG.warn("a callback failed", e);
        }
    }

    /** Tells it on a virtual thread. */
    static void run(RpcCallback<Message> done, Message result) {
        if (isQuick(done)) {
            done.run(result);
        } else {
            Thread.ofVirtual().name("verbena-rpc-done").start(() -> runHere(done, result));
        }
    }
}
