// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.ChildJvm;
import io.verbena.testing.Signals;
import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.WorkCompletionStatus;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;

/**
 * A peer that is stopped, and so reads nothing, delays nobody, and harms nobody when it continues.
 */
@Timeout(60)
class StoppedPeerTest {
    /** Far more than a socket's buffer takes. */
    private static final int REGIONS = 3_000;

    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(20);

    /** As much as one frame brings. */
    private static final int ANSWER_BYTES = RingLayout.MAX_DESCRIBED;

    private static final int READS = 16;
    private static final int ROUNDS = 5;

    /** How long a flush may take that does not wait for the peer. */
    private static final long HELD_NS = TimeUnit.MILLISECONDS.toNanos(700);

    private static final byte OURS = 0x55;

    @Test
    void shouldCloseRegionsWhileThePeerReadsNothing() throws Exception {
        try (Party party = new Party("soft0", 4096, true, 16);
                ChildJvm child = ChildJvm.start(Receiver.class)) {
            String address = child.line();
            party.toInit();
            party.connect(address);
            child.tell(party.address());
            assertThat(child.line()).isEqualTo("connected");
            exchange(party);
            Signals.stop(child.pid());

            for (int i = 0; i < REGIONS; i++) {
                party.domain.allocate(4096, AccessFlag.LOCAL_WRITE).close();
            }

            Signals.resume(child.pid());
            exchange(party);
            child.tell("end");
            child.finish();
        }
    }

    @Test
    void shouldFlushReadsWhenThePeerIsDoneWithTheirAnswers() throws Exception {
        try (Party party = new Party("soft0", ANSWER_BYTES, true, READS);
                ChildJvm child = ChildJvm.start(Answerer.class)) {
            meet(party, child);
            assertThat(party.post(SendOpcode.RDMA_READ, 1, 0, ANSWER_BYTES, 0)).isTrue();
            awaitCompletions(party, 1);
            Signals.stop(child.pid());
            assertThat(party.post(SendOpcode.RDMA_READ, 2, 0, ANSWER_BYTES, 0)).isTrue();
            // as it does itself before it copies
            say(party, RingLayout.ANSWERING);

            party.pair.modify(QueuePairAttributes.to(QueuePairState.ERROR));

            long heldNs = System.nanoTime() + HELD_NS;
            while (System.nanoTime() - heldNs < 0) {
                assertThat(party.poll()).isFalse();
            }
            say(party, RingLayout.ATTACHED);
            awaitCompletions(party, 1);
            assertThat(party.cursor.status()).isEqualTo(WorkCompletionStatus.WORK_REQUEST_FLUSHED);
            Signals.resume(child.pid());
            part(child);
            child.tell("end");
            child.finish();
        }
    }

    /** Writes what the peer says of itself in our ring. */
    private static void say(Party party, int state) {
        AttachMessage ring = ((SoftQueuePair) party.pair).engine().wire().message();
        MemorySegment block =
                ((SoftProtectionDomain) party.domain).device().segments().memory(ring.segment());
        ValueLayout.JAVA_LONG
                .varHandle()
                .setRelease(
                        block, ring.base() + RingLayout.CONSUMER_STATE, ring.nonce() << 2 | state);
    }

    private static void meet(Party party, ChildJvm child) throws Exception {
        party.toInit();
        child.tell(party.address());
        party.connect(child.line());
        assertThat(child.line()).isEqualTo("connected");
    }

    private static void part(ChildJvm child) throws Exception {
        child.tell("next");
        assertThat(child.line()).isEqualTo("ready");
    }

    private static void awaitCompletions(Party party, int requests) {
        long limitNs = System.nanoTime() + LIMIT_NS;
        for (int open = requests; open > 0; open -= party.poll() ? 1 : 0) {
            assertThat(System.nanoTime() - limitNs).isNegative();
        }
    }

    /**
     * Stops it again and again while it answers large reads, so that it is in the middle of copying
     * an answer most of the time.
     */
    @Test
    void shouldNotWriteAnAnswerAfterItsReadWasFlushed(TestReporter reporter) throws Exception {
        int held = 0;
        try (ChildJvm child = ChildJvm.start(Answerer.class)) {
            for (int round = 0; round < ROUNDS; round++) {
                try (Party party = new Party("soft0", ANSWER_BYTES, true, READS)) {
                    meet(party, child);
                    held += stopInTheMiddle(party, child) ? 1 : 0;
                }
            }
            child.tell("end");
            child.finish();
        }
        reporter.publishEntry("flushed only when it went on", held + " of " + ROUNDS + " rounds");
    }

    /** {@return whether the flush waited for the peer to go on} */
    private static boolean stopInTheMiddle(Party party, ChildJvm child) throws Exception {
        FutureTask<Void> stopping =
                new FutureTask<>(
                        () -> {
                            Signals.stop(child.pid());
                            return null;
                        });
        int open = 0;
        int answered = 0;
        while (!stopping.isDone()) {
            open += party.post(SendOpcode.RDMA_READ, 0, 0, ANSWER_BYTES, 0) ? 1 : 0;
            if (party.poll()) {
                open--;
                // only now: until the first answers, the peer may still be connecting
                if (++answered == READS) {
                    Thread.ofPlatform().start(stopping);
                }
            }
        }
        stopping.get();
        party.pair.modify(QueuePairAttributes.to(QueuePairState.ERROR));
        long heldNs = System.nanoTime() + HELD_NS;
        while (open > 0 && System.nanoTime() - heldNs < 0) {
            open -= party.poll() ? 1 : 0;
        }
        boolean isHeld = open > 0;
        if (isHeld) {
            Signals.resume(child.pid());
            awaitCompletions(party, open);
        }
        MemorySegment ours = party.region.memory();
        ours.fill(OURS);
        if (!isHeld) {
            Signals.resume(child.pid());
        }
        part(child);
        for (long i = 0; i < ANSWER_BYTES; i++) {
            assertThat(ours.get(ValueLayout.JAVA_BYTE, i)).as("byte %d", i).isEqualTo(OURS);
        }
        return isHeld;
    }

    private static void exchange(Party party) {
        assertThat(party.post(SendOpcode.SEND, 1, 0, 8, 0)).isTrue();
        long limitNs = System.nanoTime() + LIMIT_NS;
        while (!party.poll()) {
            assertThat(System.nanoTime() - limitNs).isNegative();
        }
        assertThat(party.cursor.status()).isEqualTo(WorkCompletionStatus.SUCCESS);
    }

    /** Answers reads: a party for each line with an address. */
    static final class Answerer {
        private Answerer() {}

        public static void main(String[] arguments) throws IOException {
            BufferedReader input =
                    new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            String address = input.readLine();
            while (!address.equals("end")) {
                try (Party party = new Party("soft0", ANSWER_BYTES, true, READS)) {
                    party.region.memory().fill((byte) (OURS + 1));
                    System.out.println(party.address());
                    party.toInit();
                    party.connect(address);
                    System.out.println("connected");
                    input.readLine();
                    // waits for the device, which may still be in the middle of an answer
                    party.pair.modify(QueuePairAttributes.to(QueuePairState.ERROR));
                    System.out.println("ready");
                }
                address = input.readLine();
            }
        }
    }

    /** The other process; its device answers on its own. */
    static final class Receiver {
        private Receiver() {}

        public static void main(String[] arguments) throws IOException {
            try (Party party = new Party("soft0", 4096, true, 16)) {
                BufferedReader input =
                        new BufferedReader(
                                new InputStreamReader(System.in, StandardCharsets.UTF_8));
                System.out.println(party.address());
                String address = input.readLine();
                party.toInit();
                for (int i = 0; i < 8; i++) {
                    party.postReceive(i, 0, 64);
                }
                party.connect(address);
                System.out.println("connected");
                input.readLine();
            }
        }
    }
}
