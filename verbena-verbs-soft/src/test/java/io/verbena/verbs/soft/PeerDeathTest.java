// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.ChildJvm;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.WorkCompletionStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a queue pair does when its peer is declared dead at a chosen moment. */
@Timeout(60)
class PeerDeathTest {
    @Test
    void shouldNoticeADeathBehindTheLastMessage() throws Exception {
        // in a separate process: the devices of this one must still communicate
        try (ChildJvm child = ChildJvm.start(LastMessage.class)) {
            assertThat(child.line()).isEqualTo("flushed");
            child.finish();
        }
    }

    /** A link may end for want of memory, for example. */
    @Test
    void shouldConnectAgainToALivingProcessThatWasTakenForDead() throws Exception {
        try (ChildJvm child = ChildJvm.start(Reunion.class)) {
            assertThat(child.line()).isEqualTo("connected again");
            child.finish();
        }
    }

    /** Two devices, one of which takes the other for dead; both must notice, and forget it. */
    static final class Reunion {
        private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(10);

        private Reunion() {}

        public static void main(String[] arguments) {
            Party one = new Party("soft0", 4096, true, 16);
            Party other = new Party("soft1", 4096, true, 16);
            exchange(one, other);

            RemotePeer known = peer(other);
            peer(one).die();
            await(() -> !known.isAlive(), "the other device uses its link");
            await(() -> one.pair.state() == QueuePairState.ERROR, "one end lives");
            await(() -> other.pair.state() == QueuePairState.ERROR, "the other end lives");

            exchange(new Party("soft0", 4096, true, 16), new Party("soft1", 4096, true, 16));
            System.out.println("connected again");
        }

        private static RemotePeer peer(Party party) {
            return (RemotePeer) ((SoftQueuePair) party.pair).engine().wire().peer();
        }

        private static void exchange(Party sender, Party receiver) {
            sender.toInit();
            receiver.toInit();
            receiver.postReceive(1, 0, 64);
            receiver.connect(sender.address());
            sender.connect(receiver.address());
            sender.post(SendOpcode.SEND, 2, 0, 8, 0);
            await(receiver::poll, "nothing arrived");
            await(sender::poll, "nothing was acknowledged");
            if (receiver.cursor.status() != WorkCompletionStatus.SUCCESS
                    || sender.cursor.status() != WorkCompletionStatus.SUCCESS) {
                throw new IllegalStateException(
                        sender.cursor.status() + " and " + receiver.cursor.status());
            }
        }

        private static void await(BooleanSupplier condition, String otherwise) {
            long limitNs = System.nanoTime() + LIMIT_NS;
            while (!condition.getAsBoolean()) {
                if (System.nanoTime() - limitNs > 0) {
                    throw new IllegalStateException(otherwise);
                }
            }
        }
    }

    /** A polled queue pair whose peer dies right after a message that no bell announces. */
    static final class LastMessage {
        private static final int PAIRS = 8;
        private static final int RECEIVES = 128;
        private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(10);

        private final List<Party> parties = new ArrayList<>();
        private final List<Party> peers = new ArrayList<>();
        private final WorkCompletionStatus[] last = new WorkCompletionStatus[PAIRS];

        private LastMessage() {
            for (int i = 0; i < PAIRS; i++) {
                Party party = new Party("soft0", 4096, true, RECEIVES);
                Party peer = new Party("soft1", 4096, true, RECEIVES);
                party.toInit();
                peer.toInit();
                for (int j = 0; j < RECEIVES; j++) {
                    party.postReceive(j, 0, 64);
                }
                party.connect(peer.address());
                peer.connect(party.address());
                parties.add(party);
                peers.add(peer);
            }
        }

        public static void main(String[] arguments) throws InterruptedException {
            LastMessage test = new LastMessage();
            // one dry run, so that what follows is fast enough to happen between the polls
            test.awaitBackground();
            test.warmUp();
            test.die();
            test.awaitFlush();
            System.out.println("flushed");
        }

        private void pollAll() {
            for (int i = 0; i < PAIRS; i++) {
                peers.get(i).poll();
                if (parties.get(i).poll()) {
                    last[i] = parties.get(i).cursor.status();
                }
            }
        }

        /** Polls until the queue pairs are hot. */
        private void warmUp() {
            int sent = 0;
            long limitNs = System.nanoTime() + LIMIT_NS;
            for (int polls = 1; !parties.stream().allMatch(LastMessage::isHot); polls++) {
                pollAll();
                // enough polls for the queue to count as polled, then a bell
                if (polls % 200 == 0 && sent++ < RECEIVES / 2) {
                    peers.forEach(peer -> peer.post(SendOpcode.SEND, 1, 0, 8, 0));
                }
                check(limitNs, "not hot");
            }
        }

        private static boolean isHot(Party party) {
            return ((SoftCompletionQueue) party.queue).scheduler().isHot(engine(party));
        }

        private static QueuePairEngine engine(Party party) {
            return ((SoftQueuePair) party.pair).engine();
        }

        private void die() throws InterruptedException {
            peers.forEach(peer -> peer.post(SendOpcode.SEND, 1, 0, 8, 0));
            ((RemotePeer) engine(parties.getFirst()).wire().peer()).die();
            awaitBackground();
        }

        private void awaitBackground() throws InterruptedException {
            CountDownLatch seen = new CountDownLatch(1);
            ((SoftProtectionDomain) parties.getFirst().domain)
                    .device()
                    .background()
                    .submit(seen::countDown);
            seen.await();
        }

        private void awaitFlush() {
            long limitNs = System.nanoTime() + LIMIT_NS / 5;
            while (!isFlushed()) {
                pollAll();
                check(limitNs, "not flushed");
            }
        }

        private boolean isFlushed() {
            for (int i = 0; i < PAIRS; i++) {
                if (parties.get(i).pair.state() != QueuePairState.ERROR
                        || last[i] != WorkCompletionStatus.WORK_REQUEST_FLUSHED) {
                    return false;
                }
            }
            return true;
        }

        private void check(long limitNs, String what) {
            if (System.nanoTime() - limitNs > 0) {
                throw new IllegalStateException(
                        what + ": " + parties.stream().map(party -> party.pair.state()).toList());
            }
        }
    }
}
