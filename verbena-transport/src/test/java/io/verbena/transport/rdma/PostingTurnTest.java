// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PostingTurnTest {
    private static final int THREADS = 4;
    private static final int ROUNDS = 20_000;

    @Test
    void shouldLetTheFirstInAndHaveItDoTheWorkOfTheSecond() {
        PostingTurn turn = new PostingTurn();

        int first = turn.enter();
        int second = turn.enter();
        int again = turn.leave(first);

        assertThat(first).isPositive();
        assertThat(second).isZero();
        assertThat(again).isPositive();
        assertThat(turn.leave(again)).isZero();
    }

    @Test
    void shouldTellWhoIsInsideThatItWasClosed() {
        PostingTurn turn = new PostingTurn();
        int seen = turn.enter();

        boolean isEmpty = turn.close();

        assertThat(isEmpty).isFalse();
        assertThat(turn.enter()).isZero();
        assertThat(turn.leave(seen)).isNegative();
        assertThat(turn.enter()).isZero();
    }

    @Test
    void shouldLetNobodyInOnceClosed() {
        PostingTurn turn = new PostingTurn();

        assertThat(turn.close()).isTrue();
        assertThat(turn.enter()).isZero();
    }

    @Test
    void shouldHaveOneInsideAtATimeWhoSeesEverythingPublished() throws InterruptedException {
        PostingTurn turn = new PostingTurn();
        AtomicLong published = new AtomicLong();
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger clashes = new AtomicInteger();
        long[] seen = new long[1];
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            threads.add(
                    Thread.ofPlatform()
                            .name("turn-" + i)
                            .start(
                                    () -> {
                                        for (int n = 0; n < ROUNDS; n++) {
                                            published.incrementAndGet();
                                            for (int s = turn.enter(); s > 0; s = turn.leave(s)) {
                                                if (inside.incrementAndGet() != 1) {
                                                    clashes.incrementAndGet();
                                                }
                                                seen[0] = published.get();
                                                inside.decrementAndGet();
                                            }
                                        }
                                    }));
        }
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(clashes).hasValue(0);
        assertThat(seen[0]).isEqualTo((long) THREADS * ROUNDS);
    }
}
