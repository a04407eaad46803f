// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.ChildJvm;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.WorkCompletionStatus;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages on a link that arrive late, as on a busy machine: the peer is alive and ready. */
@Timeout(60)
class LateLinkTest {
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(20);

    /** Longer than a queue pair waits for a peer that is not ready. */
    private static final long LATE_NS = TimeUnit.MILLISECONDS.toNanos(1200);

    @Test
    void shouldReachAPeerWhileVirtualThreadsKeepAllProcessorsBusy() throws Exception {
        AtomicBoolean isOver = new AtomicBoolean();
        try (Party sender = new Party("soft0", 4096, true, 16);
                Party receiver = new Party("soft1", 4096, true, 16)) {
            occupyCarriers(isOver);
            sender.toInit();
            receiver.toInit();
            assertThat(receiver.postReceive(1, 0, 64)).isTrue();
            receiver.connect(sender.address());
            sender.connect(receiver.address());

            assertThat(sender.post(SendOpcode.SEND, 2, 0, 8, 0)).isTrue();

            assertSuccess(sender);
            assertSuccess(receiver);
        } finally {
            isOver.set(true);
        }
    }

    private static void occupyCarriers(AtomicBoolean isOver) throws InterruptedException {
        int carriers =
                Integer.getInteger(
                        "jdk.virtualThreadScheduler.parallelism",
                        Runtime.getRuntime().availableProcessors());
        CountDownLatch running = new CountDownLatch(carriers);
        for (int i = 0; i < carriers; i++) {
            Thread.ofVirtual()
                    .name("busy-" + i)
                    .start(
                            () -> {
                                running.countDown();
                                while (!isOver.get()) {
                                    Thread.onSpinWait();
                                }
                            });
        }
        assertThat(running.await(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void shouldWaitForAPeerWhoseProcessIsSlowButAlive() throws Exception {
        try (Party sender = new Party("soft0", 4096, true, 16);
                ChildJvm child = ChildJvm.start(Receiver.class)) {
            String address = child.line();
            sender.toInit();
            child.tell(sender.address());
            assertThat(child.line()).isEqualTo("connected");
            child.halt();
            sender.connect(address);

            assertThat(sender.post(SendOpcode.SEND, 2, 0, 8, 0)).isTrue();

            long lateNs = System.nanoTime() + LATE_NS;
            while (System.nanoTime() - lateNs < 0) {
                assertThat(sender.poll()).as("%s", sender.pair.state()).isFalse();
            }
            child.goOn();
            assertSuccess(sender);
            assertThat(child.line()).isEqualTo("SUCCESS");
            assertThat(sender.pair.state()).isEqualTo(QueuePairState.READY_TO_SEND);
            child.finish();
        }
    }

    private static void assertSuccess(Party party) {
        long limitNs = System.nanoTime() + LIMIT_NS;
        while (!party.poll()) {
            assertThat(System.nanoTime() - limitNs).as("%s", party.pair.state()).isNegative();
        }
        assertThat(party.cursor.status()).isEqualTo(WorkCompletionStatus.SUCCESS);
    }

    /** A peer that is ready and prints what it has received. */
    static final class Receiver {
        private Receiver() {}

        public static void main(String[] arguments) throws IOException {
            Party party = new Party("soft0", 4096, true, 16);
            BufferedReader input =
                    new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            System.out.println(party.address());
            String address = input.readLine();
            party.toInit();
            party.postReceive(1, 0, 64);
            party.connect(address);
            System.out.println("connected");
            while (!party.poll()) {
                Thread.onSpinWait();
            }
            System.out.println(party.cursor.status());
            input.readLine();
        }
    }
}
