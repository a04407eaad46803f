// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.WorkCompletionOpcode;
import io.verbena.verbs.WorkCompletionStatus;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Signaled and unsignaled requests, and when their places in the send queue are freed. */
public abstract class SignalingConformance extends ConformanceTest {
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
    private static final int COMPLETIONS = 1024;

    @ParameterizedTest
    @EnumSource(
            value = SendOpcode.class,
            names = {"SEND", "RDMA_WRITE", "RDMA_READ", "FETCH_AND_ADD"})
    void shouldNotReportUnsignaledSuccess(SendOpcode opcode) {
        ConnectedPair pair = connect();
        assumeAtomics(pair);
        Endpoint initiator = pair.initiator();
        pair.target().postReceive(1, 0, 64);
        pair.target().postReceive(2, 0, 64);

        initiator.post(any(initiator, opcode, 1).flags(0));
        initiator.post(any(initiator, opcode, 2).flags(SendWorkRequest.SIGNALED));

        initiator.awaitSend().assertId(2).assertStatus(WorkCompletionStatus.SUCCESS);
        initiator.assertNoCompletion();
    }

    @Test
    void shouldReportReceiveOfUnsignaledSend() {
        ConnectedPair pair = connect();
        pair.target().postReceive(1, 0, 64);

        pair.initiator().post(any(pair.initiator(), SendOpcode.SEND, 2).flags(0));

        pair.target().awaitReceive().assertId(1).assertSuccess(WorkCompletionOpcode.RECEIVE);
        pair.initiator().assertNoCompletion();
    }

    @Test
    void shouldReportUnsignaledFailure() {
        ConnectedPair pair = connect();
        Endpoint initiator = pair.initiator();

        initiator.post(any(initiator, SendOpcode.RDMA_WRITE, 1).flags(0));
        initiator.post(
                initiator
                        .request(SendOpcode.RDMA_WRITE, 2, 0, 8)
                        .remote(pair.target().region().address(), ~pair.target().region().rkey())
                        .flags(0));

        initiator.awaitSend().assertId(2).assertStatus(WorkCompletionStatus.REMOTE_ACCESS);
        initiator.assertNoCompletion();
    }

    @Test
    void shouldReportEverythingIfSoAsked() {
        ConnectedPair pair = closing(pair().initiator(EndpointBuilder::signalAll).connect());
        Endpoint initiator = pair.initiator();

        initiator.post(any(initiator, SendOpcode.RDMA_WRITE, 1).flags(0));
        initiator.post(any(initiator, SendOpcode.RDMA_READ, 2).flags(0));
        initiator.post(any(initiator, SendOpcode.RDMA_WRITE, 3));

        initiator.awaitSend().assertId(1).assertSuccess(WorkCompletionOpcode.RDMA_WRITE);
        initiator.awaitSend().assertId(2).assertSuccess(WorkCompletionOpcode.RDMA_READ);
        initiator.awaitSend().assertId(3).assertSuccess(WorkCompletionOpcode.RDMA_WRITE);
    }

    @Test
    void shouldFillQueueWithUnsignaledRequestsForEver() {
        ConnectedPair pair = roomy();
        Endpoint initiator = pair.initiator();
        int capacity = capacity(pair);

        for (int i = 1; i <= capacity; i++) {
            writeWord(initiator, i, 0);
        }
        awaitWord(pair, capacity);

        initiator.assertNoCompletion();
        assertThat(initiator.queuePair().postSend(any(initiator, SendOpcode.RDMA_WRITE, 99)))
                .isZero();
    }

    @Test
    void shouldFreeAllEarlierSlotsByOneSignaledCompletion() {
        ConnectedPair pair = roomy();
        Endpoint initiator = pair.initiator();
        int capacity = capacity(pair);

        for (int round = 0; round < 5; round++) {
            for (int i = 1; i < capacity; i++) {
                writeWord(initiator, i, 0);
            }
            writeWord(initiator, capacity, SendWorkRequest.SIGNALED);
            assertFullUntilPolled(pair);
            initiator.awaitSend().assertId(capacity);
        }

        initiator.assertNoCompletion();
    }

    private static void assertFullUntilPolled(ConnectedPair pair) {
        awaitWord(pair, capacity(pair));
        SendWorkRequest more = any(pair.initiator(), SendOpcode.RDMA_WRITE, 99);
        assertThat(pair.initiator().queuePair().postSend(more)).isZero();
    }

    @Test
    void shouldFreeOnlySlotsUpToPolledCompletion() {
        ConnectedPair pair = roomy();
        Endpoint initiator = pair.initiator();
        int capacity = capacity(pair);
        for (int i = 1; i <= capacity; i++) {
            writeWord(initiator, i, i == 4 || i == capacity ? SendWorkRequest.SIGNALED : 0);
        }
        awaitWord(pair, capacity);

        initiator.awaitSend().assertId(4);

        assertRoom(initiator, 4);
    }

    @Test
    void shouldTakeSignaledRequestsOnlyWhileTheirCompletionsFitTheQueue() {
        ConnectedPair pair = roomy();
        Endpoint initiator = pair.initiator();
        int capacity = capacity(pair);

        // One at a time, so that each is done before the next is posted: only polls make room.
        for (int i = 1; i <= capacity; i++) {
            writeWord(initiator, i, SendWorkRequest.SIGNALED);
            awaitWord(pair, i);
        }
        assertRoom(initiator, 0);

        for (int i = 1; i <= capacity; i++) {
            initiator.awaitSend().assertId(i).assertSuccess(WorkCompletionOpcode.RDMA_WRITE);
            writeWord(initiator, capacity + i, SendWorkRequest.SIGNALED);
            assertRoom(initiator, 0);
        }
        for (int i = 1; i <= capacity; i++) {
            initiator.awaitSend().assertId(capacity + i);
        }
        initiator.assertNoCompletion();
    }

    @Test
    void shouldFreeFailedRequestAndAllBeforeIt() {
        ConnectedPair pair = roomy();
        Endpoint initiator = pair.initiator();
        int capacity = capacity(pair);
        int failing = capacity / 2;
        for (int i = 1; i <= capacity; i++) {
            SendWorkRequest request = any(initiator, SendOpcode.RDMA_WRITE, i).flags(0);
            initiator.post(i == failing ? request.remote(0, ~request.rkey()) : request);
        }

        initiator.awaitSend().assertId(failing).assertStatus(WorkCompletionStatus.REMOTE_ACCESS);

        assertRoom(initiator, failing);
        for (int i = failing + 1; i <= capacity; i++) {
            initiator.awaitSend().assertId(i);
        }
        assertRoom(initiator, capacity - failing);
    }

    @Test
    void shouldFreeOneSlotByEachFlushedRequest() {
        ConnectedPair pair = roomy();
        Endpoint initiator = pair.initiator();
        int capacity = capacity(pair);
        // The target has no receives, so nothing has completed yet.
        for (int i = 1; i <= capacity; i++) {
            initiator.post(any(initiator, SendOpcode.SEND, i).flags(0));
        }
        assertRoom(initiator, 0);
        initiator.fail();

        for (int i = 1; i <= 3; i++) {
            initiator
                    .awaitSend()
                    .assertId(i)
                    .assertStatus(WorkCompletionStatus.WORK_REQUEST_FLUSHED);
        }

        assertRoom(initiator, 3);
    }

    @Test
    void shouldBeEmptyAfterReset() {
        ConnectedPair pair = roomy();
        Endpoint initiator = pair.initiator();
        int capacity = capacity(pair);
        for (int i = 1; i <= capacity; i++) {
            initiator.post(any(initiator, SendOpcode.SEND, i));
        }
        assertRoom(initiator, 0);

        initiator.queuePair().modify(QueuePairAttributes.to(QueuePairState.RESET));
        pair.target().queuePair().modify(QueuePairAttributes.to(QueuePairState.RESET));
        pair.connect();

        assertRoom(initiator, capacity);
    }

    /** Fills the send queue, asserting that it takes as many requests as it should. */
    private static void assertRoom(Endpoint initiator, int expected) {
        SendWorkRequest more = any(initiator, SendOpcode.RDMA_WRITE, 99);
        for (int i = 0; i < expected; i++) {
            assertThat(initiator.queuePair().postSend(more)).as("request %d", i).isEqualTo(1);
        }
        assertThat(initiator.queuePair().postSend(more)).as("full").isZero();
    }

    @Test
    void shouldRunForLongWithSparseSignals() {
        ConnectedPair pair = roomy();
        Endpoint initiator = pair.initiator();
        int quarter = Math.max(1, capacity(pair) / 4);
        int outstanding = 0;

        int last = repetitions(10_000);
        for (int i = 1; i <= last; i++) {
            boolean signaled = i % quarter == 0;
            writeWord(initiator, i, signaled ? SendWorkRequest.SIGNALED : 0);
            outstanding += signaled ? 1 : 0;
            if (outstanding == 3) {
                initiator.awaitSend().assertSuccess(WorkCompletionOpcode.RDMA_WRITE);
                outstanding--;
            }
        }

        awaitWord(pair, last);
    }

    private ConnectedPair roomy() {
        return closing(
                pair().initiator(side -> side.completionDepth(COMPLETIONS).inline(8)).connect());
    }

    private static int capacity(ConnectedPair pair) {
        return pair.initiator().queuePair().options().maxSendRequests();
    }

    /** Inline, so that the word may change at once. */
    private static void writeWord(Endpoint initiator, long value, int flags) {
        initiator.memory(0, 8).set(ValueLayout.JAVA_LONG, 0, value);
        initiator.post(
                initiator
                        .remote(SendOpcode.RDMA_WRITE, value, 0, 8, 0)
                        .flags(flags | SendWorkRequest.INLINE));
    }

    private static void awaitWord(ConnectedPair pair, long value) {
        MemorySegment word = pair.target().memory(0, 8);
        pair.initiator()
                .patience()
                .await(
                        "word " + value + " at the target",
                        () -> (long) WORD.getAcquire(word, 0L) == value,
                        () -> "found " + WORD.getAcquire(word, 0L));
    }

    private static SendWorkRequest any(Endpoint initiator, SendOpcode opcode, long id) {
        SendWorkRequest request = initiator.remote(opcode, id, 64, 8, 64);
        if (opcode == SendOpcode.FETCH_AND_ADD) {
            request.fetchAndAdd(
                    initiator.peer().region().address() + 64, initiator.peer().region().rkey(), 1);
        }
        return request;
    }
}
