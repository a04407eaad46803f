// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.spi;

import io.verbena.completion.EnduringTask;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A watch for registries that have to be asked: asks on a daemon thread of its own, reports what it
 * hears, and waits longer after each failure in a row. For lookups that block until something
 * changes, the interval is 0.
 */
public final class PollingWatch implements NamingService.Watch {
    /** How long {@link #start} waits for the first answer. */
    public static final Duration FIRST_WAIT = Duration.ofSeconds(3);

    private static final long LEAST_PAUSE_MS = 100;
    private static final long MOST_PAUSE_MS = 10_000;

    /** Asks the registry. */
    @FunctionalInterface
    public interface Lookup {
        /**
         * {@return the servers now; the same object as the last time if nothing has changed, which
         * saves comparing} May block; an interrupt means that the watch was closed.
         *
         * @throws Exception if the registry cannot be asked; it is asked again later
         */
        List<ServerNode> find() throws Exception;
    }

    private final Lookup lookup;
    private final NamingService.Listener listener;
    private final long intervalMs;
    private final Thread thread;
    private final CountDownLatch first = new CountDownLatch(1);

    /** The latest list, if there was no failure since; null before. For its thread. */
    private List<ServerNode> reported;

    private volatile boolean isClosed;

    private PollingWatch(
            String name, Duration interval, Lookup lookup, NamingService.Listener listener) {
        this.lookup = lookup;
        this.listener = listener;
        this.intervalMs = interval.toMillis();
        this.thread =
                Thread.ofPlatform()
                        .daemon()
                        .name("verbena-naming-" + name)
                        .unstarted(new EnduringTask(this::run));
    }

    /**
     * {@return a watch that has asked once, if the answer came within {@link #FIRST_WAIT}} An
     * interrupt ends that wait, and stays pending.
     *
     * @param name appears in the thread's name
     * @param interval the pause after each answer
     * @param lookup asks the registry
     * @param listener told each answer and each failure
     */
    public static PollingWatch start(
            String name, Duration interval, Lookup lookup, NamingService.Listener listener) {
        PollingWatch watch = new PollingWatch(name, interval, lookup, listener);
        watch.thread.start();
        try {
            boolean _ = watch.first.await(FIRST_WAIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return watch;
    }

    private void run() {
        int failures = 0;
        while (!isClosed) {
            failures = isAnswered() ? 0 : failures + 1;
            first.countDown();
            if (!isClosed) {
                // an interrupt ends it early: closed, or a stray one, which the loop finds out
                LockSupport.parkNanos(
                        this,
                        TimeUnit.MILLISECONDS.toNanos(
                                failures == 0 ? intervalMs : pauseMs(failures)));
                boolean _ = Thread.interrupted();
            }
        }
    }

    @SuppressWarnings("ReferenceEquality") // the lookup says so by returning the same object
    private boolean isAnswered() {
        try {
            List<ServerNode> found = lookup.find();
            if (!isClosed && found != reported) {
                reported = found;
                listener.onServers(found);
            }
            return true;
        } catch (Throwable e) {
            reported = null;
            if (!isClosed) {
                listener.onFailure(e);
            }
            return false;
        }
    }

    /**
     * {@return how long to wait after a failure, in milliseconds} Doubles with each failure, and is
     * jittered so that clients do not come back together.
     *
     * @param failures how many there were in a row; at least 1
     */
    public static long pauseMs(int failures) {
        long most = Math.min(MOST_PAUSE_MS, LEAST_PAUSE_MS << Math.min(failures, 10));
        return most / 2 + ThreadLocalRandom.current().nextLong(most / 2 + 1);
    }

    @Override
    public void close() {
        isClosed = true;
        thread.interrupt();
    }
}
