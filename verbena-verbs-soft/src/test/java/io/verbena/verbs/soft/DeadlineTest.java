// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.WorkCompletionStatus;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The deadlines of a queue pair: one that is never cleared would keep the device's thread busy. */
@Timeout(60)
class DeadlineTest {
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(5);

    @Test
    void shouldHaveNoDeadlineOnceFailed() {
        for (int round = 0; round < 50; round++) {
            try (Party sender = new Party("soft0", 4096, true, 16);
                    Party receiver = new Party("soft0", 4096, true, 16)) {
                sender.toInit();
                receiver.toInit();
                sender.connect(receiver.address());
                receiver.connect(sender.address());
                QueuePairEngine engine = ((SoftQueuePair) sender.pair).engine();
                // no receive is posted there: the sender is told to wait again and again
                assertThat(sender.post(SendOpcode.SEND, 1, 0, 8, 0)).isTrue();
                long limitNs = System.nanoTime() + LIMIT_NS;
                while (engine.nextDeadlineNs() == Deadline.NEVER) {
                    sender.poll();
                    assertThat(System.nanoTime() - limitNs).isNegative();
                }

                sender.pair.modify(QueuePairAttributes.to(QueuePairState.ERROR));

                assertThat(engine.nextDeadlineNs()).isEqualTo(Deadline.NEVER);
            }
        }
    }

    /**
     * Across devices a ring is announced by a message, which may come too late for the receiver.
     */
    @Test
    void shouldGiveUpOnAReceiverThatGoesBeforeItHasTakenTheRing() {
        for (int round = 0; round < 10; round++) {
            try (Party sender = new Party("soft0", 4096, true, 16)) {
                try (Party receiver = new Party("soft1", 4096, true, 16)) {
                    sender.toInit();
                    receiver.toInit();
                    receiver.connect(sender.address());
                    sender.connect(receiver.address());
                }
                assertThat(sender.post(SendOpcode.SEND, 1, 0, 8, 0)).isTrue();

                long limitNs = System.nanoTime() + LIMIT_NS;
                while (!sender.poll()) {
                    assertThat(System.nanoTime() - limitNs).as("time left").isNegative();
                }

                assertThat(sender.cursor.at(0).status())
                        .isEqualTo(WorkCompletionStatus.RETRY_EXCEEDED);
            }
        }
    }
}
