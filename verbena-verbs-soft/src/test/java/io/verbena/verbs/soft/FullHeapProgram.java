// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import io.verbena.testing.FullHeap;
import io.verbena.verbs.CompletionChannel;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Devices;
import io.verbena.verbs.SendOpcode;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Does one thing for the first time, without any memory, and prints what has become of it. In a
 * process of its own: what the JVM has linked or loaded once needs no memory any more.
 */
final class FullHeapProgram {
    /** What it does. */
    enum Step {
        TURN,
        EVENT,
        FAREWELL,
        DEVICE
    }

    /** How its answer begins; other lines are of threads that have found no memory. */
    static final String ANSWER = "answer: ";

    static final String DONE = "done";

    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(10);
    private static final long FULL_NS = TimeUnit.SECONDS.toNanos(1);
    private static final int BYTES = 64;

    private FullHeapProgram() {}

    static void main(String[] arguments) throws Exception {
        String answer =
                switch (Step.valueOf(arguments[0])) {
                    case TURN -> turn();
                    case EVENT -> event();
                    case FAREWELL -> farewell();
                    case DEVICE -> device();
                };
        System.out.println(ANSWER + answer);
    }

    /** Another thread leaves work, and then somebody closes the turn. */
    private static String turn() {
        Turn turn = new Turn();
        Turn closed = new Turn();
        return FullHeap.run(
                        () -> {
                            boolean _ = turn.tryEnter();
                            boolean _ = turn.tryEnter();
                            while (!turn.tryExit()) {
                                // once more
                            }
                            boolean _ = closed.enter();
                            closed.closeFromInside();
                        })
                .map(Throwable::toString)
                .orElse(turn.tryEnter() && !closed.enter() ? DONE : "a turn is kept");
    }

    /** A completion queue has an event. */
    private static String event() throws InterruptedException {
        try (DeviceContext context = Devices.open("soft0");
                CompletionChannel channel = context.createCompletionChannel();
                SoftCompletionQueue queue =
                        (SoftCompletionQueue) context.createCompletionQueue(16, channel, 0)) {
            SoftCompletionChannel events = (SoftCompletionChannel) channel;
            String fault =
                    FullHeap.run(() -> events.post(queue.events()))
                            .map(Throwable::toString)
                            .orElse("");
            boolean isThere = channel.awaitEvent(Duration.ZERO).isPresent();
            queue.acknowledgeEvents(isThere ? 1 : 0);
            return isThere && fault.isEmpty() ? DONE : "the event is lost: " + fault;
        }
    }

    /** A queue pair fails: its peer must learn of it, at the latest when there is memory again. */
    private static String farewell() {
        try (Party failing = new Party("soft0", BYTES, true, 16);
                Party peer = new Party("soft0", BYTES, true, 16)) {
            failing.toInit();
            peer.toInit();
            failing.connect(peer.address());
            peer.connect(failing.address());
            if (!peer.postReceive(1, 0, BYTES) || !failing.post(SendOpcode.SEND, 2, 0, BYTES, 0)) {
                throw new AssertionError("the queues are full");
            }
            awaitCompletion(peer);
            awaitCompletion(failing);
            QueuePairEngine engine = ((SoftQueuePair) failing.pair).engine();

            var _ = FullHeap.run(engine::failOverflowed);

            if (!peer.post(SendOpcode.SEND, 3, 0, BYTES, 0)) {
                throw new AssertionError("the queue is full");
            }
            return awaitCompletion(peer) ? DONE : "the peer waits";
        }
    }

    /** The device's thread goes on, although each of its rounds fails. */
    private static String device() {
        try (DeviceContext _ = Devices.open("soft0")) {
            var _ =
                    FullHeap.run(
                            () -> {
                                long endNs = System.nanoTime() + FULL_NS;
                                while (System.nanoTime() - endNs < 0) {
                                    FullHeap.fill();
                                }
                            });
            boolean isAlive =
                    Thread.getAllStackTraces().keySet().stream()
                            .anyMatch(thread -> thread.getName().equals("verbena-soft0"));
            return isAlive ? DONE : "its thread has ended";
        }
    }

    private static boolean awaitCompletion(Party party) {
        long endNs = System.nanoTime() + LIMIT_NS;
        while (!party.poll()) {
            if (System.nanoTime() - endNs > 0) {
                return false;
            }
            Thread.yield();
        }
        return true;
    }
}
