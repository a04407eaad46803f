// SPDX-License-Identifier: Apache-2.0
package io.verbena.completion;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class CrewTest {
    /** Leads a crew that is given tasks about as long as it takes to relieve a leader. */
    private static final class Lead implements Runnable {
        private final RandomGenerator random = RandomGenerator.of("L64X128MixRandom");
        private final AtomicInteger leaders = new AtomicInteger();
        private final AtomicInteger clashes = new AtomicInteger();
        private final CountDownLatch ran;
        private Crew crew;

        Lead(int count) {
            ran = new CountDownLatch(count);
        }

        @Override
        public void run() {
            while (ran.getCount() > 0) {
                if (!crew.runPlaced()) {
                    return;
                }
                if (leaders.incrementAndGet() != 1) {
                    clashes.incrementAndGet();
                }
                int lengthNs = 500_000 + random.nextInt(2_000_000);
                if (!crew.tryPlace(() -> work(lengthNs))) {
                    Thread.onSpinWait();
                }
                leaders.decrementAndGet();
            }
            crew.end();
        }

        private void work(int lengthNs) {
            LockSupport.parkNanos(lengthNs);
            ran.countDown();
        }
    }

    /** A leader that is relieved at the very end of its task must not go on leading. */
    @Test
    void shouldHaveOneLeaderAtATime() {
        Lead lead = new Lead(500);
        Crew crew =
                new Crew("crew-test", lead, () -> {}, Thread.ofPlatform().daemon(true).factory());
        lead.crew = crew;

        crew.start();
        crew.awaitEnd();

        assertThat(lead.ran.getCount()).isZero();
        assertThat(lead.clashes).as("two leaders").hasValue(0);
    }
}
