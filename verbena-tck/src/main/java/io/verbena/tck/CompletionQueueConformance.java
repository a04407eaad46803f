// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Errno;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.WorkCompletionOpcode;
import io.verbena.verbs.WorkCompletionStatus;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Polling, order, sizes and overflow of completion queues. */
public abstract class CompletionQueueConformance extends ConformanceTest {
    @Test
    void shouldFindNothingInAnEmptyQueue() {
        DeviceContext context = closing(fixture().openInitiator());
        CompletionQueue queue = context.createCompletionQueue(4);
        WorkCompletion cursor = WorkCompletion.allocate(closing(Arena.ofShared()), 4);

        assertThat(queue.poll(cursor)).isZero();
        assertThat(queue.poll(cursor)).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 100, 1000})
    void shouldHoldAtLeastWhatWasAskedFor(int depth) {
        DeviceContext context = closing(fixture().openInitiator());

        assertThat(context.createCompletionQueue(depth).depth()).isGreaterThanOrEqualTo(depth);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
    void shouldRefuseDepthBelowOne(int depth) {
        DeviceContext context = closing(fixture().openInitiator());

        assertThatThrownBy(() -> context.createCompletionQueue(depth))
                .isInstanceOfAny(IllegalArgumentException.class, VerbsException.class)
                .hasMessageContaining("depth: " + depth)
                .hasMessageContaining("expected")
                .hasMessageContaining(String.valueOf(context.queryDevice().maxCompletions()));
    }

    @Test
    void shouldRefuseDepthBeyondTheLimit() {
        DeviceContext context = closing(fixture().openInitiator());
        int limit = context.queryDevice().maxCompletions();
        Assumptions.assumeTrue(limit < Integer.MAX_VALUE, "the device has no limit");

        assertThatThrownBy(() -> context.createCompletionQueue(limit + 1))
                .isInstanceOfAny(IllegalArgumentException.class, VerbsException.class)
                .hasMessageContaining("depth: " + (limit + 1))
                .hasMessageContaining("expected")
                .hasMessageContaining(String.valueOf(limit));
    }

    @Test
    void shouldRefuseUnknownCompletionVector() {
        DeviceContext context = closing(fixture().openInitiator());
        int vectors = context.queryDevice().completionVectors();

        assertThatThrownBy(
                        () ->
                                context.createCompletionQueue(
                                        4, context.createCompletionChannel(), vectors))
                .isInstanceOfAny(IllegalArgumentException.class, VerbsException.class)
                .hasMessageContaining("vector: " + vectors);
    }

    @Test
    void shouldTakeNoMoreThanTheCursorHolds() {
        ConnectedPair pair = connect();
        Endpoint sender = pair.initiator();
        for (int id = 0; id < 10; id++) {
            sender.post(write(sender, id));
        }
        WorkCompletion cursor = WorkCompletion.allocate(sender.arena(), 3);
        List<Long> ids = new ArrayList<>();

        sender.patience()
                .await(
                        "ten completions",
                        () -> {
                            int count = sender.sendQueue().poll(cursor);
                            assertThat(count).isBetween(0, 3);
                            for (int i = 0; i < count; i++) {
                                ids.add(cursor.at(i).id());
                            }
                            return ids.size() >= 10;
                        },
                        ids::toString);

        assertThat(ids).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
    }

    @Test
    void shouldKeepTheOrderOfEachQueuePairInASharedQueue() {
        ConnectedPair pair = closing(pair().initiator(EndpointBuilder::oneQueue).connect());
        Endpoint endpoint = pair.initiator();
        Endpoint peer = pair.target();
        for (int i = 0; i < 8; i++) {
            endpoint.postReceive(100 + i, 0, 8);
            peer.postReceive(100 + i, 0, 8);
        }
        for (int i = 0; i < 8; i++) {
            endpoint.postSend(i, 8, 8);
            peer.postSend(i, 8, 8);
        }

        List<Long> sends = new ArrayList<>();
        List<Long> receives = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            Completion completion = endpoint.awaitSend();
            completion.assertStatus(WorkCompletionStatus.SUCCESS);
            (completion.opcode().isReceive() ? receives : sends).add(completion.id());
        }

        assertThat(sends).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L);
        assertThat(receives).containsExactly(100L, 101L, 102L, 103L, 104L, 105L, 106L, 107L);
    }

    @Test
    void shouldRefuseToCloseWhileAQueuePairUsesIt() {
        ConnectedPair pair = connect();
        Endpoint endpoint = pair.target();

        assertErrno(Errno.EBUSY, () -> endpoint.receiveQueue().close());

        endpoint.postReceive(1, 0, 8);
        pair.initiator().postSend(2, 0, 8);
        endpoint.awaitReceive().assertSuccess(WorkCompletionOpcode.RECEIVE).assertId(1);
        endpoint.queuePair().close();
        endpoint.receiveQueue().close();
    }

    @Test
    void shouldReportOverflowOfReceives() throws InterruptedException {
        ConnectedPair pair = closing(pair().build());
        Endpoint sender = pair.initiator();
        Endpoint target = pair.target();
        CompletionQueue small = target.context().createCompletionQueue(4);
        int count = overflowing(target.context(), small);
        Endpoint idle = endpointOn(target, small, 1);
        bringToInit(idle, sender);
        Endpoint receiver = receiveOn(small, pair, count);

        sendUntilOverflow(sender, count);

        assertOverflow(target.context(), small, List.of(receiver, idle));
    }

    @Test
    void shouldReportOverflowOfSends() throws InterruptedException {
        ConnectedPair pair = closing(pair().build());
        Endpoint initiator = pair.initiator();
        CompletionQueue small = initiator.context().createCompletionQueue(4);
        int count = overflowing(initiator.context(), small);
        Endpoint sender = endpointOn(initiator, small, count);
        connect(sender, pair.target());

        for (int i = 0; i < count && sender.queuePair().state() != QueuePairState.ERROR; i++) {
            sender.queuePair().postSend(write(sender, i));
        }

        boolean isSpared = has(Quirk.SEND_OVERFLOW_SPARES_THE_QUEUE_PAIR);
        assertOverflow(initiator.context(), small, isSpared ? List.of() : List.of(sender));
    }

    @Test
    void shouldTellThePollerOfAnOverflowIfNobodyAsksForEvents() {
        ConnectedPair pair = closing(pair().build());
        CompletionQueue small = pair.target().context().createCompletionQueue(4);
        int count = overflowing(pair.target().context(), small);
        receiveOn(small, pair, count);

        sendUntilOverflow(pair.initiator(), count);

        WorkCompletion cursor = cursor();
        List<VerbsException> failures = new ArrayList<>();
        pair.target()
                .patience()
                .await("an overflow", () -> hasFailed(small, cursor, failures), small::toString);
        assertOverflow(failures.getFirst(), small);
    }

    private static boolean hasFailed(
            CompletionQueue queue, WorkCompletion cursor, List<VerbsException> failures) {
        try {
            queue.poll(cursor);
            return false;
        } catch (VerbsException e) {
            return failures.add(e);
        }
    }

    @Test
    void shouldStayUsableForAFullButNotOverflowingQueue() {
        ConnectedPair pair = closing(pair().build());
        Endpoint initiator = pair.initiator();
        CompletionQueue exact = initiator.context().createCompletionQueue(4);
        Assumptions.assumeTrue(
                exact.depth() <= initiator.context().queryDevice().maxQueuePairWorkRequests(),
                "completion queues are longer than send queues");
        Endpoint sender = endpointOn(initiator, exact, exact.depth());
        connect(sender, pair.target());
        Endpoint receiver = pair.target();
        receiver.postReceive(1, 0, 8);

        for (int i = 0; i < exact.depth() - 1; i++) {
            sender.post(write(sender, i));
        }
        sender.post(sender.request(SendOpcode.SEND, exact.depth() - 1L).elementCount(0));
        receiver.awaitReceive().assertSuccess(WorkCompletionOpcode.RECEIVE);

        for (int i = 0; i < exact.depth(); i++) {
            sender.awaitSend().assertStatus(WorkCompletionStatus.SUCCESS).assertId(i);
        }
        assertThat(sender.queuePair().state()).isEqualTo(QueuePairState.READY_TO_SEND);
    }

    @Test
    void shouldDeliverEachCompletionToExactlyOneOfSeveralPollers() throws InterruptedException {
        int total = repetitions(20_000);
        ConnectedPair pair = connect();
        Endpoint sender = pair.initiator();
        AtomicIntegerArray seen = new AtomicIntegerArray(total);
        AtomicInteger left = new AtomicInteger(total);
        List<Task> tasks = new ArrayList<>();
        tasks.add(() -> postAll(sender, total));
        for (int i = 0; i < 4; i++) {
            WorkCompletion cursor = WorkCompletion.allocate(sender.arena(), 1 + i);
            tasks.add(() -> pollAll(sender, cursor, seen, left));
        }

        together(tasks);

        for (int id = 0; id < total; id++) {
            assertThat(seen.get(id)).as("completions of request %d", id).isEqualTo(1);
        }
        sender.assertNoCompletion();
    }

    private static void postAll(Endpoint sender, int total) {
        SendWorkRequest request = write(sender, 0);
        for (int id = 0; id < total; id++) {
            request.id(id);
            sender.patience()
                    .await(
                            "room in the send queue",
                            () -> sender.queuePair().postSend(request) == 1,
                            sender::toString);
        }
    }

    private static void pollAll(
            Endpoint sender, WorkCompletion cursor, AtomicIntegerArray seen, AtomicInteger left) {
        while (left.get() > 0) {
            sender.patience()
                    .await(
                            "completion",
                            () -> left.get() <= 0 || take(sender, cursor, seen, left),
                            () -> left + " requests left");
        }
    }

    private static boolean take(
            Endpoint sender, WorkCompletion cursor, AtomicIntegerArray seen, AtomicInteger left) {
        int count = sender.sendQueue().poll(cursor);
        for (int i = 0; i < count; i++) {
            assertThat(cursor.at(i).status()).isEqualTo(WorkCompletionStatus.SUCCESS);
            seen.incrementAndGet((int) cursor.id());
        }
        left.addAndGet(-count);
        return count > 0;
    }

    /** {@return the initiator's peer, with receives that complete on a given queue} */
    private Endpoint receiveOn(CompletionQueue queue, ConnectedPair pair, int count) {
        Endpoint receiver = endpointOn(pair.target(), queue, count);
        connect(pair.initiator(), receiver);
        for (int i = 0; i < count; i++) {
            receiver.post(receiver.receive(i));
        }
        return receiver;
    }

    /**
     * Posts from the sender until it fails or everything was sent, and polls only its own queue.
     */
    private static void sendUntilOverflow(Endpoint sender, int count) {
        SendWorkRequest request = sender.request(SendOpcode.SEND, 0).elementCount(0);
        for (int i = 0; i < count; i++) {
            sender.post(request.id(i));
            if (sender.awaitSend().status() != WorkCompletionStatus.SUCCESS) {
                return;
            }
        }
    }

    private void assertOverflow(
            DeviceContext context, CompletionQueue queue, List<Endpoint> endpoints)
            throws InterruptedException {
        // Adapters fail the queue pair that found the queue full; the reference fails all that
        // share it.
        boolean hardware = context.device().isHardware();
        List<AsyncEvent> expected = new ArrayList<>();
        expected.add(AsyncEvent.of(AsyncEventType.CQ_ERROR, queue));
        if (!hardware) {
            endpoints.forEach(
                    e -> expected.add(AsyncEvent.of(AsyncEventType.QP_FATAL, e.queuePair())));
        }
        List<AsyncEvent> events = new ArrayList<>();
        while (!events.containsAll(expected)) {
            events.add(
                    context.awaitAsyncEvent(fixture().patience())
                            .orElseThrow(
                                    () -> new AssertionError(expected + " expected: " + events)));
        }
        for (Endpoint endpoint :
                hardware && !endpoints.isEmpty() ? endpoints.subList(0, 1) : endpoints) {
            endpoint.awaitState(QueuePairState.ERROR);
        }
        assertThatThrownBy(() -> queue.poll(cursor())).satisfies(e -> assertOverflow(e, queue));
    }

    private WorkCompletion cursor() {
        return WorkCompletion.allocate(closing(Arena.ofShared()), 8);
    }

    private static void assertOverflow(Throwable failure, CompletionQueue queue) {
        assertThat(failure)
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("completion queue of " + queue.depth() + " has overflowed")
                .hasMessageContaining("create it with room");
    }

    /**
     * {@return how many completions certainly overflow a queue; skips if no queue pair can do that}
     */
    private static int overflowing(DeviceContext context, CompletionQueue queue) {
        int count = queue.depth() + 2;
        Assumptions.assumeTrue(
                count <= context.queryDevice().maxQueuePairWorkRequests(),
                "completion queues are longer than work queues");
        return count;
    }

    /** {@return another endpoint in the same domain, on a given completion queue} */
    private Endpoint endpointOn(Endpoint owner, CompletionQueue queue, int requests) {
        EndpointBuilder builder =
                new EndpointBuilder(fixture(), "overflowing", 0, owner::context)
                        .domain(owner.domain())
                        .completionQueue(queue)
                        .requests(requests, requests);
        return closing(builder.build());
    }

    private static void connect(Endpoint first, Endpoint second) {
        first.connect(second.address(), first.activeMtu());
        second.connect(first.address(), first.activeMtu());
    }

    private static void bringToInit(Endpoint endpoint, Endpoint peer) {
        new StateWalk(endpoint, peer).reach(QueuePairState.INIT);
    }

    /** A zero-length write needs neither memory nor a receive, only a completion. */
    private static SendWorkRequest write(Endpoint sender, long id) {
        return sender.request(SendOpcode.RDMA_WRITE, id).remote(0, 0).elementCount(0);
    }
}
