// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import com.google.protobuf.RpcCallback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Notifies callers that their call is over, on a thread that may run their code. */
final class Completion {
    private static final Logger LOG = LoggerFactory.getLogger(Completion.class);

    /** An internal callback that runs no user code. */
    interface Quick extends RpcCallback<Message> {}

    private Completion() {}

    static boolean isQuick(RpcCallback<Message> done) {
        return done instanceof Quick;
    }

    /** Runs a callback on this thread. */
    static void runHere(RpcCallback<Message> done, Message result) {
        try {
            done.run(result);
        } catch (RuntimeException e) {
            LOG.warn("a callback failed", e);
        }
    }

    /** Runs a callback on a virtual thread. */
    static void run(RpcCallback<Message> done, Message result) {
        if (isQuick(done)) {
            done.run(result);
        } else {
            Thread.ofVirtual().name("verbena-rpc-done").start(() -> runHere(done, result));
        }
    }
}
