// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.completion.Waiter;
import io.verbena.transport.Connection;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Optional;

/**
 * Where a thread waits for something new on a stream. The thread calls {@link #prepare}, looks once
 * more, and waits only if there still is nothing; so no signal is lost.
 *
 * <p>Threads: one at a time waits; any signals, which costs a load if nobody waits.
 */
final class StreamSignal {
    private static final VarHandle WAITING;

    static {
        try {
            WAITING =
                    MethodHandles.lookup().findVarHandle(StreamSignal.class, "waiting", Wait.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** The wait that the next signal ends; null if nobody waits. */
    private volatile Wait waiting;

    /** One wait of one thread. */
    static final class Wait extends Waiter {
        private final Runnable onInterrupt;

        private Wait(Runnable onInterrupt) {
            this.onInterrupt = onInterrupt;
        }

        private void signal() {
            end();
        }

        @Override
        protected void onInterrupt() {
            onInterrupt.run();
        }
    }

    /**
     * {@return the wait of this thread, which signals from now on end}
     *
     * @param onInterrupt run if the thread is interrupted; has to lead to a signal
     */
    Wait prepare(Runnable onInterrupt) {
        Wait wait = new Wait(onInterrupt);
        waiting = wait;
        return wait;
    }

    /** The thread need not wait after all. */
    void forget() {
        waiting = null;
    }

    /** Waits for a signal. Over RDMA the thread polls the connection meanwhile, if it is known. */
    void await(Wait wait, Optional<Connection> polled) {
        if (polled.isPresent()) {
            polled.get().await(wait);
        } else {
            wait.await(Optional.empty());
        }
        // the next thread to wait is not this one
        forget();
    }

    /** Something is new. The caller has published it before. */
    void signal() {
        // pairs with the store in prepare: either this sees the wait, or the waiting thread sees
        // what is new
        VarHandle.fullFence();
        Wait wait = waiting;
        if (wait != null && WAITING.compareAndSet(this, wait, null)) {
            wait.signal();
        }
    }
}
