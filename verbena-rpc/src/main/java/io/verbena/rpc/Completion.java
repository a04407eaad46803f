// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import com.google.protobuf.RpcCallback;
import io.verbena.rpc.spi.Faults;

/** Notifies callers that their call is over, on a thread that may run their code. */
final class Completion {
    /** An internal callback that runs no user code. */
    interface Quick extends RpcCallback<Message> {}

    private Completion() {}

    static boolean isQuick(RpcCallback<Message> done) {
        return done instanceof Quick;
    }

    /** Runs a callback on this thread. Never throws. */
    static void runHere(RpcCallback<Message> done, Message result) {
        try {
            done.run(result);
        } catch (Throwable e) {
            Faults.warn(Completion.class, "a callback failed", Thread.currentThread().getName(), e);
        }
    }

    /** Runs a callback on a virtual thread. Never throws. */
    static void run(RpcCallback<Message> done, Message result) {
        if (isQuick(done)) {
            runHere(done, result);
            return;
        }
        try {
            Thread.ofVirtual().name("verbena-rpc-done").start(() -> runHere(done, result));
        } catch (Throwable e) {
            // no memory for a thread; a caller who never learns the outcome would be worse
            runHere(done, result);
        }
    }
}
