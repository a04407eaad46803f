// SPDX-License-Identifier: Apache-2.0
package io.verbena.testing;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongPredicate;

/**
 * A thread that only sleeps and looks: it says how late this machine lets a thread run, and what
 * all threads do when something is late although it is not late itself.
 */
final class LateWatch {
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(10);

    /** If it is later than this itself, the others may be, too, for a while. */
    private static final long PUNCTUAL_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final long RECOVERY_NS = TimeUnit.MILLISECONDS.toNanos(200);

    private final LongPredicate isAnyLate;
    private final Thread thread;
    private volatile long mostNs;
    private volatile String dump = "";
    private volatile boolean isOver;

    /**
     * A watch that is not started.
     *
     * @param isAnyLate whether something is late at a time, as {@link System#nanoTime} counts
     */
    LateWatch(LongPredicate isAnyLate) {
        this.isAnyLate = isAnyLate;
        this.thread = Thread.ofPlatform().daemon().name("late-watch").unstarted(this::look);
    }

    void start() {
        thread.start();
    }

    void stop() throws InterruptedException {
        isOver = true;
        LockSupport.unpark(thread);
        thread.join();
    }

    private void look() {
        long unpunctualNs = System.nanoTime();
        while (!isOver) {
            long beforeNs = System.nanoTime();
            LockSupport.parkNanos(this, LOOK_NS);
            long now = System.nanoTime();
            long lateNs = now - beforeNs - LOOK_NS;
            mostNs = Math.max(mostNs, lateNs);
            if (lateNs > PUNCTUAL_NS) {
                unpunctualNs = now;
            } else if (dump.isEmpty() && now - unpunctualNs > RECOVERY_NS && isAnyLate.test(now)) {
                dump = dumpThreads();
            }
        }
    }

    /** {@return where it is} All threads, the virtual ones too, unlike the usual dumps. */
    private static String dumpThreads() {
        try {
            Path folder = Path.of("target").toAbsolutePath();
            Path file = Files.createTempFile(Files.createDirectories(folder), "late-", ".txt");
            // it insists on a new file
            Files.delete(file);
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                    .dumpThreads(file.toString(), ThreadDumpFormat.TEXT_PLAIN);
            return file.toString();
        } catch (IOException e) {
            return e.toString();
        }
    }

    @Override
    public String toString() {
        return "a thread that only sleeps was up to "
                + TimeUnit.NANOSECONDS.toMillis(mostNs)
                + " ms late"
                + (dump.isEmpty() ? "" : "; threads when a call was late: " + dump);
    }
}
