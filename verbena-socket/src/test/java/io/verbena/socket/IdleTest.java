// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.completion.Poller;
import io.verbena.testing.Eventually;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Threads that wait for messages that do not come. */
@Timeout(60)
class IdleTest {
    private static final int RECEIVERS = 3;
    private static final int MESSAGES = 1000;
    private static final int RARE = 100;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldSleepWhileReceiversWait(boolean isVirtual) throws Exception {
        try (Stacks stacks = new Stacks(Stacks.NATIVE)) {
            List<Stacks.Pair> pairs = new ArrayList<>();
            List<CompletableFuture<String>> received = new ArrayList<>();
            for (int i = 0; i < RECEIVERS; i++) {
                Stacks.Pair pair = stacks.pair();
                pairs.add(pair);
                received.add(receive(pair.server(), isVirtual));
            }
            Poller poller = stacks.serverStack.loop().poller();

            // in use for a moment: the threads take turns at polling
            for (int i = 0; i < MESSAGES; i++) {
                int one = i % (RECEIVERS - 1);
                pairs.get(one).client().send(Stacks.text("message"));
                assertThat(received.get(one).get(10, TimeUnit.SECONDS)).isEqualTo("message");
                received.set(one, receive(pairs.get(one).server(), isVirtual));
            }
            Eventually.become(poller::isAsleep, () -> "awake");
            // a thread that got no processor yet may poll once more
            Eventually.become(() -> restsFor(poller, 300), poller::drives);
            for (int i = 0; i < RECEIVERS; i++) {
                pairs.get(i).client().send(Stacks.text("late"));
                assertThat(received.get(i).get(10, TimeUnit.SECONDS)).isEqualTo("late");
            }
        }
    }

    /** {@return whether nobody polls or goes to sleep for that long} */
    private static boolean restsFor(Poller poller, long ms) {
        long drives = poller.drives();
        long sleeps = poller.sleeps();
        try {
            assertThat(new CountDownLatch(1).await(ms, TimeUnit.MILLISECONDS)).isFalse();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return poller.drives() == drives && poller.sleeps() == sleeps;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldPollForAWhileOnlyWhileMessagesAreRare(boolean isVirtual) throws Exception {
        try (Stacks stacks = new Stacks(Stacks.NATIVE)) {
            Stacks.Pair pair = stacks.pair();
            Poller poller = stacks.serverStack.loop().poller();
            CompletableFuture<String> received = receive(pair.server(), isVirtual);
            CountDownLatch nothing = new CountDownLatch(1);
            long drives = poller.drives();

            for (int i = 0; i < RARE; i++) {
                assertThat(nothing.await(10, TimeUnit.MILLISECONDS)).isFalse();
                pair.client().send(Stacks.text("message"));
                assertThat(received.get(10, TimeUnit.SECONDS)).isEqualTo("message");
                received = receive(pair.server(), isVirtual);
            }

            // some thousand passes take as long as a thread polls, a hundred thousand 10 ms
            assertThat((poller.drives() - drives) / RARE).isLessThan(20_000);
        }
    }

    private static CompletableFuture<String> receive(RdmaSocket socket, boolean isVirtual) {
        CompletableFuture<String> text = new CompletableFuture<>();
        (isVirtual ? Thread.ofVirtual() : Thread.ofPlatform().daemon(true))
                .name("receiver")
                .start(
                        () -> {
                            try {
                                text.complete(Stacks.next(socket));
                            } catch (Throwable e) {
                                text.completeExceptionally(e);
                            }
                        });
        return text;
    }
}
