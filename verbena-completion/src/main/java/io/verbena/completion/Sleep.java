// SPDX-License-Identifier: Apache-2.0
package io.verbena.completion;

import io.verbena.verbs.CompletionChannel;
import io.verbena.verbs.CompletionQueue;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The sleep of a poller's thread on its completion channel, and how another thread ends it: by an
 * interrupt, which must hit the sleep and nothing else.
 */
final class Sleep {
    private static final int AWAKE = 0;
    private static final int SLEEPING = 1;

    /** A thread is about to interrupt the sleeper, which waits until it has. */
    private static final int WAKING = 2;

    private static final Duration TICK = Duration.ofMillis(1);
    private static final VarHandle STATE;
    private static final VarHandle COUNT;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            STATE = lookup.findVarHandle(Sleep.class, "state", int.class);
            COUNT = lookup.findVarHandle(Sleep.class, "count", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final CompletionChannel channel;
    private final Consumer<CompletionQueue> onEvent;

    @SuppressWarnings("unused") // also accessed through STATE
    private volatile int state = AWAKE;

    @SuppressWarnings("unused") // accessed through COUNT
    private long count;

    Sleep(CompletionChannel channel, Consumer<CompletionQueue> onEvent) {
        this.channel = channel;
        this.onEvent = onEvent;
    }

    boolean isAsleep() {
        return state == SLEEPING;
    }

    long count() {
        return (long) COUNT.getOpaque(this);
    }

    /**
     * {@return whether the sleep was ended by this call} The thread that swaps the state owes
     * exactly one interrupt, and the sleeper waits for it before it goes on.
     *
     * @param sleeper the poller's thread
     */
    boolean tryEnd(Thread sleeper) {
        if (state != SLEEPING || !STATE.compareAndSet(this, SLEEPING, WAKING)) {
            return false;
        }
        try {
            sleeper.interrupt();
        } finally {
            state = AWAKE;
        }
        return true;
    }

    /**
     * Waits for an event. The queues are armed. The poller's thread.
     *
     * @param mayStay whether nothing was left for this thread; checked when others already see that
     *     it sleeps
     * @param isTicking whether to sleep for a tick at most
     */
    void run(BooleanSupplier mayStay, boolean isTicking) {
        // a full fence: a thread that adds a call and sees AWAKE has added it before the check
        STATE.setVolatile(this, SLEEPING);
        try {
            if (mayStay.getAsBoolean()) {
                COUNT.setOpaque(this, count() + 1);
                awaitEvents(isTicking);
            }
        } catch (InterruptedException e) {
            // somebody left something for this thread, which looks for it next
        } finally {
            awake();
        }
    }

    private void awaitEvents(boolean isTicking) throws InterruptedException {
        Optional<CompletionQueue> event =
                isTicking ? channel.awaitEvent(TICK) : Optional.of(channel.awaitEvent());
        while (event.isPresent()) {
            onEvent.accept(event.get());
            event = channel.awaitEvent(Duration.ZERO);
        }
    }

    /**
     * Waits for the state, not for the interrupt: whoever took that may have found no memory for
     * the exception.
     */
    private void awake() {
        if (!STATE.compareAndSet(this, SLEEPING, AWAKE)) {
            while (state != AWAKE) {
                Thread.onSpinWait();
            }
            boolean _ = Thread.interrupted();
        }
    }
}
