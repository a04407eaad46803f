// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.completion.EnduringTask;
import io.verbena.completion.Faults;
import io.verbena.memory.internal.Threads;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.VerbsException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that waits for asynchronous events of the device and passes them on. In between it does
 * periodic work that may take long, which no other thread has time for.
 */
final class DeviceEvents {
    private static final Logger LOG = LoggerFactory.getLogger(DeviceEvents.class);

    private static final long PAUSE_NS = 100_000_000;

    private final RdmaPort port;
    private final Consumer<AsyncEvent> listener;
    private final Duration period;
    private final Runnable chore;
    private final Thread thread;
    private volatile boolean isClosed;

    /**
     * Creates the thread but does not start it.
     *
     * @param port whose device
     * @param listener called with each event
     * @param period how long it waits for an event before it does its chore
     * @param chore done after each wait
     */
    DeviceEvents(RdmaPort port, Consumer<AsyncEvent> listener, Duration period, Runnable chore) {
        this.port = port;
        this.listener = listener;
        this.period = period;
        this.chore = chore;
        this.thread =
                Thread.ofPlatform()
                        .name("verbena-rdma-events")
                        .daemon(true)
                        .unstarted(new EnduringTask(this::run));
    }

    void start() {
        thread.start();
    }

    private void run() {
        while (!isClosed) {
            try {
                port.context().awaitAsyncEvent(period).ifPresent(this::tell);
                doChore();
            } catch (InterruptedException e) {
                LOG.debug("waiting for events of {} was interrupted", port);
            } catch (VerbsException e) {
                LOG.error("no more events of {} can be read", port, e);
                // nobody would notice any more that it is gone
                tell(AsyncEvent.of(AsyncEventType.DEVICE_FATAL, 0));
                return;
            } catch (Throwable e) { // without this thread, nobody would notice that it is gone
                Faults.warn(DeviceEvents.class, "an event could not be read", port, e);
                // what comes back at once must not fill the log at full speed
                LockSupport.parkNanos(PAUSE_NS);
            }
        }
    }

    private void tell(AsyncEvent event) {
        try {
            listener.accept(event);
        } catch (Throwable e) { // the next event may be more important
            Faults.warn(DeviceEvents.class, "an event could not be handled", event, e);
        }
    }

    private void doChore() {
        try {
            chore.run();
        } catch (Throwable e) { // whatever it is, events are more important
            Faults.warn(DeviceEvents.class, "idle memory could not be given back", port, e);
        }
    }

    /** Ends the thread and waits for it. */
    void close() {
        isClosed = true;
        thread.interrupt();
        Threads.awaitEnd(thread);
    }
}
