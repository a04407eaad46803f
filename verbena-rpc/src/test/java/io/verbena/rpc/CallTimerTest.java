// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.testing.Eventually;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CallTimerTest {
    private static final long HOUR_NS = TimeUnit.HOURS.toNanos(1);

    private final AtomicInteger looks = new AtomicInteger();
    private final AtomicInteger woken = new AtomicInteger();
    private final CallTable table = new CallTable();
    private final CallTimer timer = new CallTimer(table, this::end, this::nowNs);

    /** An hour goes by after the first look at the clock. */
    private long nowNs() {
        return looks.getAndIncrement() == 0 ? 0 : HOUR_NS;
    }

    private void end(PendingCall call, long nowNs) {
        call.end();
        call.free();
        woken.incrementAndGet();
    }

    @AfterEach
    void stop() throws InterruptedException {
        timer.stop();
    }

    @Test
    void shouldWakeCallsWhoseTimeComesWhileItsThreadIsKeptFromRunning() {
        PendingCall call = table.take();
        call.wakeNs(HOUR_NS);
        call.publish();

        timer.start();

        Eventually.be(1, woken::get);
    }
}
