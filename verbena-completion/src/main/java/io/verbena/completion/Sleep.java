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
        if (state != SLEEPING || !STATE.compareAndSet(this, SLEEPING, AWAKE)) {
            return false;
        }
        sleeper.interrupt();
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
        boolean isInterrupted = false;
        try {
            if (mayStay.getAsBoolean()) {
                COUNT.setOpaque(this, count() + 1);
                awaitEvents(isTicking);
            }
        } catch (InterruptedException e) {
            isInterrupted = true;
        } finally {
            awake(isInterrupted);
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

    private void awake(boolean isInterrupted) {
        if (!STATE.compareAndSet(this, SLEEPING, AWAKE)) {
            while (!isInterrupted && !Thread.interrupted()) {
                Thread.onSpinWait();
            }
        }
    }
}
