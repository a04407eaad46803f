// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import com.google.protobuf.RpcCallback;
import io.verbena.completion.Faults;

/** Notifies callers that their call is over, on a thread that may run their code. */
final class Completion {
    /** An internal callback that runs no user code. */
    interface Quick extends RpcCallback<Message> {}

    /** A callback that first wakes waiting threads, wherever it runs then. */
    interface Waking extends RpcCallback<Message> {
        /**
         * Wakes them; runs no user code.
         *
         * @param result as for the callback
         */
        void wake(Message result);
    }

    private Completion() {}

    static boolean isQuick(RpcCallback<Message> done) {
        return done instanceof Quick;
    }

    /** Runs a callback on this thread. Never throws. */
    static void runHere(RpcCallback<Message> done, Message result) {
        wake(done, result);
        runAwake(done, result);
    }

    private static void wake(RpcCallback<Message> done, Message result) {
        if (done instanceof Waking waking) {
            waking.wake(result);
        }
    }

    private static void runAwake(RpcCallback<Message> done, Message result) {
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
        wake(done, result);
        try {
            Thread.ofVirtual().name("verbena-rpc-done").start(() -> runAwake(done, result));
        } catch (Throwable e) {
            // no memory for a thread; a caller who never learns the outcome would be worse
            runAwake(done, result);
        }
    }
}
