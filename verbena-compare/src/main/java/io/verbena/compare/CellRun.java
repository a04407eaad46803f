// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import com.sun.management.ThreadMXBean;
import io.verbena.bench.measure.Tally;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * Measures one cell: each caller calls again as soon as its call is answered, on whichever thread
 * the system delivers the answer, or on its own thread if it blocks.
 */
final class CellRun {
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(20);
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final EchoClient client;
    private final Cell cell;
    private final Processors processors;
    private final Tally tally = Tally.ofAll();
    private final CountDownLatch open;
    private final CountDownLatch connected = new CountDownLatch(1);
    private volatile long fromNs;
    private volatile long untilNs;
    private volatile Optional<String> failure = Optional.empty();

    CellRun(EchoClient client, Cell cell, Processors processors) {
        this.client = client;
        this.cell = cell;
        this.processors = processors;
        this.open = new CountDownLatch(cell.depth());
    }

    /**
     * {@return the measured figures}
     *
     * @param callers who makes the calls
     * @param warmUpNs how long to make calls before measuring
     * @param measureNs how long to measure
     */
    Figures run(CallerKind callers, long warmUpNs, long measureNs) throws InterruptedException {
        fromNs = System.nanoTime() + LIMIT_NS;
        untilNs = fromNs;
        List<Slot> slots = start(callers);
        // the first call connects, which may take longer than all others combined
        if (!connected.await(LIMIT_NS, TimeUnit.NANOSECONDS)) {
            throw new IllegalStateException(cell + ": no answer in time");
        }
        long from = System.nanoTime() + warmUpNs;
        untilNs = from + measureNs;
        fromNs = from;
        sleepUntil(fromNs);
        long allocated = THREADS.getTotalThreadAllocatedBytes();
        double usedNs = processors.usedNs();
        sleepUntil(untilNs);
        usedNs = processors.usedNs() - usedNs;
        long garbage = THREADS.getTotalThreadAllocatedBytes() - allocated;
        if (!open.await(LIMIT_NS, TimeUnit.NANOSECONDS) || failure.isPresent()) {
            throw new IllegalStateException(
                    cell + ": " + failure.orElse("calls did not end in time"));
        }
        slots.forEach(slot -> slot.caller.close());
        return figures(measureNs, garbage, usedNs);
    }

    /** {@return the callers with callbacks; those that block have threads instead} */
    private List<Slot> start(CallerKind callers) {
        List<Slot> slots = new ArrayList<>();
        Thread.Builder threads =
                callers == CallerKind.VIRTUAL ? Thread.ofVirtual() : Thread.ofPlatform().daemon();
        for (int i = 0; i < cell.depth(); i++) {
            if (callers.isBlocking()) {
                EchoClient.BlockingCaller caller = client.blockingCaller(cell.bytes());
                threads.name("caller-" + i).start(() -> callUntilOver(caller));
            } else {
                slots.add(new Slot());
            }
        }
        slots.forEach(Slot::next);
        return slots;
    }

    private void sleepUntil(long timeNs) throws InterruptedException {
        while (timeNs - System.nanoTime() > 0 && failure.isEmpty()) {
            LockSupport.parkNanos(timeNs - System.nanoTime());
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
    }

    private Figures figures(long measureNs, long garbage, double usedNs) {
        Histogram latencies = tally.takeInterval();
        long calls = tally.answered();
        double perSecond = calls * 1e9 / measureNs;
        return new Figures(
                latencies.getValueAtPercentile(50) / 1e3,
                latencies.getValueAtPercentile(99) / 1e3,
                latencies.getValueAtPercentile(99.9) / 1e3,
                perSecond,
                perSecond * cell.bytes() / 1e6,
                calls == 0 ? 0 : (double) garbage / calls,
                calls == 0 ? 0 : usedNs / 1e3 / calls);
    }

    /** Counts an answer; {@return whether its caller is to call again} */
    private boolean goesOn(long startNs, long now, int bytes) {
        connected.countDown();
        if (bytes != cell.bytes()) {
            fail("an answer has " + bytes + " bytes");
            return false;
        }
        if (now - fromNs >= 0 && now - untilNs < 0) {
            tally.onAnswer(now - startNs);
        }
        return now - untilNs < 0 && failure.isEmpty();
    }

    private void fail(String reason) {
        failure = Optional.of(reason);
        connected.countDown();
    }

    private void callUntilOver(EchoClient.BlockingCaller caller) {
        try {
            long startNs = System.nanoTime();
            boolean isOn = true;
            while (isOn) {
                int bytes = caller.call();
                long now = System.nanoTime();
                isOn = goesOn(startNs, now, bytes);
                startNs = now;
            }
        } catch (Exception e) {
            fail(e.toString());
        } finally {
            open.countDown();
        }
    }

    /** Makes one call after another, with callbacks. */
    private final class Slot implements EchoClient.Outcome {
        private final EchoClient.Caller caller = client.caller(cell.bytes(), this);
        private long startNs;

        void next() {
            startNs = System.nanoTime();
            caller.call();
        }

        @Override
        public void onAnswer(int bytes) {
            long now = System.nanoTime();
            if (goesOn(startNs, now, bytes)) {
                startNs = now;
                caller.call();
            } else {
                open.countDown();
            }
        }

        @Override
        public void onFailure(String reason) {
            fail(reason);
            open.countDown();
        }
    }
}
