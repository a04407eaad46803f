// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft.cm;

import io.verbena.verbs.DeviceContext;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * Connections begin, end and are noticed to be dead while the application's virtual threads compute
 * on all carriers.
 */
class BusyCarriersTest extends TwoProcessScenarios {
    private final List<Thread> busy = new ArrayList<>();
    private volatile boolean isOver;

    @BeforeEach
    void occupyCarriers() throws InterruptedException {
        int carriers = Runtime.getRuntime().availableProcessors();
        CountDownLatch running = new CountDownLatch(carriers);
        for (int i = 0; i < carriers; i++) {
            busy.add(Thread.ofVirtual().start(() -> compute(running)));
        }
        running.await();
    }

    private void compute(CountDownLatch running) {
        running.countDown();
        while (!isOver) {
            Thread.onSpinWait();
        }
    }

    @AfterEach
    void releaseCarriers() throws InterruptedException {
        isOver = true;
        for (Thread thread : busy) {
            thread.join();
        }
    }

    @Override
    DeviceContext openContext() {
        return DeviceConnectionTest.openDevice0();
    }

    @Override
    String folder() {
        return "";
    }
}
