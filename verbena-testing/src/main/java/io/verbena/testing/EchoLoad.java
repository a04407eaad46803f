// SPDX-License-Identifier: Apache-2.0
package io.verbena.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.HdrHistogram.ConcurrentHistogram;

/**
 * Threads that call an echo service, one call after the other, and the count of how the calls
 * ended: each must end once, with its own answer or a failure, and not long after its deadline.
 */
public final class EchoLoad {
    private static final long LIMIT_SECONDS = 20;

    /** So late that one wants to know what the threads do meanwhile. */
    private static final long VERY_LATE_NS = TimeUnit.MILLISECONDS.toNanos(300);

    /** Makes one call. */
    public interface Caller {
        /**
         * Starts a call.
         *
         * @param text what to send
         * @param ending called with the outcome, on any thread
         */
        void start(String text, Ending ending);
    }

    /** The outcome of a call; it is reported exactly once, or the load has found a fault. */
    public final class Ending {
        private final String text;
        private final long startNs = System.nanoTime();
        private final AtomicInteger ends = new AtomicInteger();
        private final CountDownLatch ended = new CountDownLatch(1);

        private Ending(String text) {
            this.text = text;
        }

        /**
         * The call failed.
         *
         * @param code the code of the failure
         */
        public void onFailure(int code) {
            codes.computeIfAbsent(code, _ -> new AtomicInteger()).incrementAndGet();
            onEnd();
        }

        /**
         * The call was answered.
         *
         * @param answer what came back
         */
        public void onAnswer(String answer) {
            if (answer.equals(text)) {
                good.incrementAndGet();
            } else {
                wrong.incrementAndGet();
            }
            onEnd();
        }

        private void onEnd() {
            long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
            if (tookMs >= timeoutMs) {
                latenessMs.recordValue(tookMs - timeoutMs);
            }
            if (ends.incrementAndGet() > 1) {
                twice.incrementAndGet();
            }
            ended.countDown();
        }
    }

    private final int timeoutMs;
    private final Set<Ending> underWay = ConcurrentHashMap.newKeySet();
    private final LateWatch watch = new LateWatch(this::isAnyVeryLate);
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger twice = new AtomicInteger();
    private final AtomicInteger wrong = new AtomicInteger();
    private final AtomicLong good = new AtomicLong();
    private final Map<Integer, AtomicInteger> codes = new ConcurrentHashMap<>();

    /** How late calls ended that had no answer at their deadline. */
    private final ConcurrentHistogram latenessMs = new ConcurrentHistogram(60_000, 2);

    /**
     * Creates a load without calls.
     *
     * @param timeoutMs the deadline of each call
     */
    public EchoLoad(int timeoutMs) {
        this.timeoutMs = timeoutMs;
    }

    /**
     * Starts threads that call until a point in time, at least once each. Called once.
     *
     * @param count how many
     * @param endNs when they start no more calls, as {@link System#nanoTime} counts
     * @param caller makes the calls
     */
    public void start(int count, long endNs, Caller caller) {
        watch.start();
        for (int i = 0; i < count; i++) {
            String name = "caller-" + i;
            threads.add(Thread.ofVirtual().name(name).start(() -> run(name, endNs, caller)));
        }
    }

    private void run(String name, long endNs, Caller caller) {
        try {
            boolean hasEnded;
            int number = 0;
            do {
                Ending ending = new Ending(name + "/" + number++);
                open.incrementAndGet();
                underWay.add(ending);
                caller.start(ending.text, ending);
                hasEnded = ending.ended.await(LIMIT_SECONDS, TimeUnit.SECONDS);
                underWay.remove(ending);
                if (hasEnded) {
                    open.decrementAndGet();
                }
            } while (hasEnded && System.nanoTime() - endNs < 0);
        } catch (InterruptedException e) {
            // its call stays open, and is counted as such
            Thread.currentThread().interrupt();
        }
    }

    private boolean isAnyVeryLate(long nowNs) {
        long limitNs = TimeUnit.MILLISECONDS.toNanos(timeoutMs) + VERY_LATE_NS;
        return underWay.stream().anyMatch(ending -> nowNs - ending.startNs > limitNs);
    }

    /**
     * Waits until all threads are done.
     *
     * @throws InterruptedException if this thread was interrupted
     */
    public void awaitCallers() throws InterruptedException {
        for (Thread thread : threads) {
            thread.join();
        }
        watch.stop();
    }

    /**
     * Each call must have ended once, with its own answer or a failure, and some must have
     * succeeded.
     */
    public void assertOneOutcomeEach() {
        assertThat(open.get()).as("calls without an outcome").isZero();
        assertThat(twice.get()).as("calls with two outcomes").isZero();
        assertThat(wrong.get()).as("calls with the answer of another").isZero();
        assertThat(good.get()).as("calls that went well, beside %s", codes).isPositive();
    }

    /** {@return how many calls failed} */
    public int failures() {
        return codes.values().stream().mapToInt(AtomicInteger::get).sum();
    }

    /**
     * Some calls must have reached their deadline, and 99 of 100 of them ended soon after.
     *
     * @param lateMs how late the end of a call may come
     */
    public void assertInTime(long lateMs) {
        assertThat(latenessMs.getTotalCount()).as("calls that reached the deadline").isPositive();
        assertThat(latenessMs.getValueAtPercentile(99))
                .as("milliseconds after the deadline, p99; %s", this)
                .isLessThanOrEqualTo(lateMs);
    }

    /** {@return how the calls ended, and how late; and how late the machine itself was} */
    @Override
    public String toString() {
        return good.get()
                + " calls went well; failures: "
                + codes.entrySet().stream()
                        .map(code -> code.getKey() + " x " + code.getValue())
                        .collect(Collectors.joining(", "))
                + "; ms after the deadline, of "
                + latenessMs.getTotalCount()
                + ": p50 "
                + latenessMs.getValueAtPercentile(50)
                + ", p99 "
                + latenessMs.getValueAtPercentile(99)
                + ", p99.9 "
                + latenessMs.getValueAtPercentile(99.9)
                + ", most "
                + latenessMs.getMaxValue()
                + "; "
                + watch;
    }
}
