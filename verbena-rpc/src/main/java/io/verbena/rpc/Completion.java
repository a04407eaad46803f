// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Notifies callers that their call is over, on a thread that may run their code. */
final class Completion {
    private static final Logger LOG = LoggerFactory.getLogger(Completion.class);

    /** An internal callback that runs no user code. */
    interface Quick extends Consumer<Message> {}

    private Completion() {}

    static boolean isQuick(Consumer<Message> done) {
        return done instanceof Quick;
    }

    /** Runs a callback on this thread. */
    static void runHere(Consumer<Message> done, Message result) {
        try {
            done.accept(result);
        } catch (RuntimeException e) {
            LOG.warn("a callback failed", e);
        }
    }

    /** Runs a callback on a virtual thread. */
    static void run(Consumer<Message> done, Message result) {
        if (isQuick(done)) {
            done.accept(result);
        } else {
            Thread.ofVirtual().name("verbena-rpc-done").start(() -> runHere(done, result));
        }
    }
}
