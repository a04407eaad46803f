// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads that end connections. Platform threads: whether a peer's death is noticed must not
 * depend on carriers, which may all be computing. They end when there is nothing to do.
 */
final class Departures implements Executor, AutoCloseable {
    /** More departures wait for each other; one takes a second at the very most. */
    private static final int MOST_THREADS = 16;

    private static final long KEEP_ALIVE_MS = 1000;

    private final ThreadPoolExecutor threads =
            new ThreadPoolExecutor(
                    MOST_THREADS,
                    MOST_THREADS,
                    KEEP_ALIVE_MS,
                    TimeUnit.MILLISECONDS,
                    new LinkedBlockingQueue<>(),
                    Thread.ofPlatform().daemon().name("verbena-socket-departure").factory());

    Departures() {
        threads.allowCoreThreadTimeOut(true);
    }

    @Override
    public void execute(Runnable departure) {
        threads.execute(departure);
    }

    /** Sets what makes its threads from now on. For tests. */
    void threads(ThreadFactory factory) {
        threads.setThreadFactory(factory);
    }

    /** Lets departures under way finish. */
    @Override
    public void close() {
        threads.close();
    }
}
