// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class LatencyCountsTest {
    private static final int VALUES = 100_000;

    private final LatencyCounts counts = new LatencyCounts();

    @Test
    void shouldCountAsAHistogramDoes() {
        SplittableRandom random = new SplittableRandom(1);
        Histogram expected = new Histogram(2);
        for (int i = 0; i < VALUES; i++) {
            long us = random.nextLong(1L << random.nextInt(1, 33));
            counts.record(us);
            expected.recordValue(us);
        }

        assertThat(counts.take()).isEqualTo(expected);
        assertThat(counts.total()).isEqualTo(VALUES);
    }

    @Test
    void shouldTakeEachValueOnce() {
        counts.record(7);
        counts.take();
        counts.record(300);
        Histogram second = counts.take();

        assertThat(second.getTotalCount()).isEqualTo(1);
        assertThat(second.getCountAtValue(300)).isEqualTo(1);
        assertThat(counts.take().getTotalCount()).isZero();
    }

    @Test
    void shouldCountWhatIsOutOfRangeAtTheEnds() {
        counts.record(-1);
        counts.record(Long.MAX_VALUE);
        Histogram taken = counts.take();

        assertThat(taken.getCountAtValue(0)).isEqualTo(1);
        assertThat(taken.getTotalCount()).isEqualTo(2);
    }

    @Test
    void shouldLoseNothingBetweenThreads() throws InterruptedException {
        int threads = 4;
        CountDownLatch done = new CountDownLatch(threads);
        for (int t = 0; t < threads; t++) {
            Thread.ofPlatform()
                    .start(
                            () -> {
                                for (int i = 0; i < VALUES; i++) {
                                    counts.record(i);
                                }
                                done.countDown();
                            });
        }
        long taken = 0;
        while (done.getCount() > 0) {
            taken += counts.take().getTotalCount();
        }
        done.await();
        taken += counts.take().getTotalCount();

        assertThat(taken).isEqualTo((long) threads * VALUES);
    }
}
