// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import io.verbena.completion.Faults;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Notifies callers that their call is over, on a thread that may run their code. */
final class CallNotifier {
    /** An internal callback that runs no user code. */
    interface Quick extends Consumer<Message> {}

    /** A callback that first wakes waiting threads, wherever it runs then. */
    interface Waking extends Consumer<Message> {
        /**
         * Wakes them; runs no user code.
         *
         * @param result as for the callback
         */
        void wake(Message result);
    }

    /**
     * An internal callback that goes on with a larger call: it may run user code, and a thread that
     * waits for the larger call depends on it.
     */
    interface Step extends Consumer<Message> {
        /** {@return whether a thread may wait for the larger call} */
        boolean isAwaited();
    }

    private static final int MOST_STEPS = 16;
    private static final long IDLE_SECONDS = 1;

    /** Computing virtual threads may occupy all carriers: those who wait must not need one. */
    private static final Executor STEPS =
            new ThreadPoolExecutor(
                    0,
                    MOST_STEPS,
                    IDLE_SECONDS,
                    TimeUnit.SECONDS,
                    new SynchronousQueue<>(),
                    Thread.ofPlatform().daemon().name("verbena-rpc-step-", 0).factory(),
                    (task, executor) -> startVirtual(task));

    private CallNotifier() {}

    /** {@return whether a thread may wait for what a callback completes} */
    static boolean isAwaited(Consumer<Message> done) {
        return isQuick(done)
                || done instanceof CallFuture
                || done instanceof Step step && step.isAwaited();
    }

    private static void startVirtual(Runnable task) {
        Thread _ = Thread.ofVirtual().name("verbena-rpc-done").start(task);
    }

    static boolean isQuick(Consumer<Message> done) {
        return done instanceof Quick;
    }

    /** Runs a callback on this thread. Never throws. */
    static void runHere(Consumer<Message> done, Message result) {
        wake(done, result);
        runAwake(done, result);
    }

    /** Never throws: the callback is to run in any case. */
    private static void wake(Consumer<Message> done, Message result) {
        try {
            if (done instanceof Waking waking) {
                waking.wake(result);
            }
        } catch (Throwable e) {
            Faults.warn(
                    CallNotifier.class, "waking it failed", Thread.currentThread().getName(), e);
        }
    }

    private static void runAwake(Consumer<Message> done, Message result) {
        try {
            done.accept(result);
        } catch (Throwable e) {
            Faults.warn(
                    CallNotifier.class, "a callback failed", Thread.currentThread().getName(), e);
        }
    }

    /**
     * Runs a callback on a virtual thread; on a platform thread if somebody waits for it. Never
     * throws.
     */
    static void run(Consumer<Message> done, Message result) {
        if (isQuick(done)) {
            runHere(done, result);
            return;
        }
        wake(done, result);
        try {
            Runnable task = () -> runAwake(done, result);
            if (done instanceof Step step && step.isAwaited()) {
                STEPS.execute(task);
            } else {
                startVirtual(task);
            }
        } catch (Throwable e) {
            // no memory for a thread; a caller who never learns the outcome would be worse
            runAwake(done, result);
        }
    }
}
