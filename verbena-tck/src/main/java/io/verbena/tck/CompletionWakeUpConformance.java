// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.CompletionChannel;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueue.Notification;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.ReceiveWorkRequest;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.WorkCompletionOpcode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * Threads that wait on completion channels under traffic: none is forgotten, none blocks others.
 */
public abstract class CompletionWakeUpConformance extends ConformanceTest {
    @Test
    void shouldServeTrafficWhileAThousandVirtualThreadsWait() throws InterruptedException {
        DeviceContext context = closing(fixture().openInitiator());
        List<Thread> waiting = new ArrayList<>();
        AtomicInteger interrupted = new AtomicInteger();
        CountDownLatch started = new CountDownLatch(1000);
        for (int i = 0; i < 1000; i++) {
            CompletionChannel channel = context.createCompletionChannel();
            context.createCompletionQueue(1, channel, 0).requestNotification(Notification.ANY);
            waiting.add(
                    Thread.ofVirtual()
                            .name("tck-waiting-" + i)
                            .start(() -> waitForInterrupt(channel, started, interrupted)));
        }
        assertThat(started.await(fixture().patience().toMillis(), TimeUnit.MILLISECONDS)).isTrue();

        ConnectedPair pair = connectWithChannels();
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        Thread first = virtually(() -> pingPong(pair.initiator(), true, 500), failures::add);
        Thread second = virtually(() -> pingPong(pair.target(), false, 500), failures::add);
        first.join();
        second.join();

        assertThat(failures).isEmpty();
        assertThat(interrupted).hasValue(0);
        waiting.forEach(Thread::interrupt);
        for (Thread thread : waiting) {
            assertThat(thread.join(fixture().patience())).as("%s ended", thread).isTrue();
        }
        assertThat(interrupted).hasValue(1000);
    }

    @Test
    void shouldNeverLoseAWakeUp() throws InterruptedException {
        int rounds = repetitions(20_000);
        ConnectedPair pair = connectWithChannels();
        AtomicInteger round = new AtomicInteger(-1);
        Endpoint receiver = pair.target();

        together(
                List.of(
                        () -> sendRounds(pair.initiator(), rounds, round),
                        () -> receiveRounds(receiver, rounds, round)));

        Silence.ofCompletions(receiver, Duration.ofMillis(10));
    }

    private void sendRounds(Endpoint sender, int rounds, AtomicInteger round) {
        Random random = new Random(42);
        SendWorkRequest request = sender.request(SendOpcode.SEND, 0).element(sender.region(), 0, 8);
        for (int i = 0; i < rounds; i++) {
            int expected = i;
            sender.patience()
                    .await("round " + i, () -> round.get() >= expected, () -> "at " + round);
            // Hits every point between the other side's arming, poll and wait.
            for (int spin = random.nextInt(2000); spin > 0; spin--) {
                Thread.onSpinWait();
            }
            sender.post(request.id(i));
            sender.awaitSend().assertSuccess(WorkCompletionOpcode.SEND);
        }
    }

    private void receiveRounds(Endpoint receiver, int rounds, AtomicInteger round)
            throws InterruptedException {
        WorkCompletion cursor = WorkCompletion.allocate(receiver.arena(), 1);
        ReceiveWorkRequest receive = receiver.receive(0).element(receiver.region(), 0, 8);
        CompletionQueue queue = receiver.receiveQueue();
        for (int i = 0; i < rounds; i++) {
            receiver.post(receive.id(i));
            round.set(i);
            queue.requestNotification(Notification.ANY);
            while (queue.poll(cursor) == 0) {
                // This may be the event of an earlier round, whose completion was polled before it.
                int number = i;
                CompletionQueue woken =
                        receiver.channel()
                                .orElseThrow()
                                .awaitEvent(fixture().patience())
                                .orElseThrow(
                                        () -> new AssertionError("no wake-up in round " + number));
                woken.acknowledgeEvents(1);
                queue.requestNotification(Notification.ANY);
            }
            Completion.of(cursor).assertSuccess(WorkCompletionOpcode.RECEIVE).assertId(i);
        }
    }

    private ConnectedPair connectWithChannels() {
        return closing(pair().both(EndpointBuilder::channel).connect());
    }

    private static void waitForInterrupt(
            CompletionChannel channel, CountDownLatch started, AtomicInteger interrupted) {
        started.countDown();
        try {
            channel.awaitEvent();
        } catch (InterruptedException e) {
            interrupted.incrementAndGet();
        }
    }

    private static Thread virtually(Task task, Consumer<Throwable> failed) {
        return Thread.ofVirtual()
                .name("tck-traffic")
                .start(
                        () -> {
                            try {
                                task.run();
                            } catch (Exception | Error e) {
                                failed.accept(e);
                            }
                        });
    }

    /** Answers messages, sleeping on the channel between them. */
    private void pingPong(Endpoint endpoint, boolean starts, int rounds)
            throws InterruptedException {
        WorkCompletion cursor = WorkCompletion.allocate(endpoint.arena(), 1);
        ReceiveWorkRequest receive = endpoint.receive(1).element(endpoint.region(), 0, 8);
        SendWorkRequest send = endpoint.request(SendOpcode.SEND, 2);
        send.element(endpoint.region(), 8, 8);
        endpoint.post(receive);
        if (starts) {
            endpoint.post(send);
        }
        for (int i = 0; i < rounds; i++) {
            awaitByEvent(endpoint, endpoint.receiveQueue(), cursor);
            endpoint.post(receive);
            if (!starts || i < rounds - 1) {
                endpoint.post(send);
            }
            endpoint.awaitSend().assertSuccess(WorkCompletionOpcode.SEND);
        }
    }

    private void awaitByEvent(Endpoint endpoint, CompletionQueue queue, WorkCompletion cursor)
            throws InterruptedException {
        queue.requestNotification(Notification.ANY);
        while (queue.poll(cursor) == 0) {
            CompletionQueue woken =
                    endpoint.channel()
                            .orElseThrow()
                            .awaitEvent(fixture().patience())
                            .orElseThrow(() -> new AssertionError("no event at " + endpoint));
            woken.acknowledgeEvents(1);
            queue.requestNotification(Notification.ANY);
        }
        Completion.of(cursor).assertSuccess(WorkCompletionOpcode.RECEIVE);
    }
}
