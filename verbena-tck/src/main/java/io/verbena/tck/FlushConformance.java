// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.WorkCompletionOpcode;
import io.verbena.verbs.WorkCompletionStatus;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What happens to everything posted when a queue pair goes to ERROR. */
public abstract class FlushConformance extends ConformanceTest {
    private static final int COUNT = 8;

    @Test
    void shouldFlushReceivesInOrderWhenMovedToError() {
        ConnectedPair pair = connect();
        postReceives(pair.target(), COUNT);

        pair.target().fail();

        assertReceivesFlushed(pair.target(), 0, COUNT);
        pair.target().assertNoCompletion();
    }

    @Test
    void shouldFlushReceivesOfQueuePairThatWasNeverConnected() {
        ConnectedPair pair = closing(pair().build());
        pair.target().toInit();
        postReceives(pair.target(), COUNT);

        pair.target().fail();

        assertReceivesFlushed(pair.target(), 0, COUNT);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldFlushPendingSendsInOrderWhenMovedToError(boolean signaled) {
        ConnectedPair pair = connect();
        for (int i = 0; i < COUNT; i++) {
            // No receive is posted, so none of them can complete.
            pair.initiator()
                    .post(
                            pair.initiator()
                                    .request(SendOpcode.SEND, i, 0, 64)
                                    .flags(signaled ? SendWorkRequest.SIGNALED : 0));
        }

        pair.initiator().fail();

        assertSendsFlushed(pair.initiator(), 0, COUNT);
        pair.initiator().assertNoCompletion();
    }

    @Test
    void shouldFlushBothQueues() {
        ConnectedPair pair = connect();
        postReceives(pair.initiator(), COUNT);
        postSends(pair.initiator(), 100, 100 + COUNT);

        pair.initiator().fail();

        assertSendsFlushed(pair.initiator(), 100, 100 + COUNT);
        assertReceivesFlushed(pair.initiator(), 0, COUNT);
    }

    @Test
    void shouldKeepOrderOfEachQueueOnSharedCompletionQueue() {
        ConnectedPair pair = closing(pair().both(EndpointBuilder::oneQueue).connect());
        postReceives(pair.initiator(), COUNT);
        postSends(pair.initiator(), 100, 100 + COUNT);

        pair.initiator().fail();

        long receive = 0;
        long send = 100;
        for (int i = 0; i < 2 * COUNT; i++) {
            Completion completion = pair.initiator().awaitSend();
            completion.assertStatus(WorkCompletionStatus.WORK_REQUEST_FLUSHED);
            if (completion.id() >= 100) {
                completion.assertId(send++);
            } else {
                completion.assertId(receive++);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldFlushSendPostedInError(boolean signaled) {
        ConnectedPair pair = connect();
        pair.initiator().fail();

        for (int i = 0; i < 3; i++) {
            pair.initiator()
                    .post(
                            pair.initiator()
                                    .request(SendOpcode.SEND, i, 0, 64)
                                    .flags(signaled ? SendWorkRequest.SIGNALED : 0));
        }

        assertSendsFlushed(pair.initiator(), 0, 3);
    }

    @Test
    void shouldFlushReceivePostedInError() {
        assumeNo(Quirk.RECEIVE_POSTED_IN_ERROR_STAYS);
        ConnectedPair pair = connect();
        pair.initiator().fail();

        postReceives(pair.initiator(), 3);

        assertReceivesFlushed(pair.initiator(), 0, 3);
    }

    @Test
    void shouldReportSuccessesBeforeFlushes() {
        ConnectedPair pair = connect();
        postReceives(pair.target(), 3);
        postSends(pair.initiator(), 0, 3);
        for (int i = 0; i < 3; i++) {
            pair.target().awaitReceive().assertId(i);
        }
        pair.initiator().awaitSend().assertId(0).assertSuccess(WorkCompletionOpcode.SEND);
        pair.initiator().awaitSend().assertId(1).assertSuccess(WorkCompletionOpcode.SEND);
        pair.initiator().awaitSend().assertId(2).assertSuccess(WorkCompletionOpcode.SEND);
        postSends(pair.initiator(), 3, 6);

        pair.initiator().fail();

        assertSendsFlushed(pair.initiator(), 3, 6);
    }

    @Test
    void shouldFlushEverythingBehindFailedSend() {
        ConnectedPair pair = connect();
        Endpoint initiator = pair.initiator();
        postReceives(initiator, COUNT);
        MemoryRegion region = pair.target().region();

        initiator.post(
                initiator
                        .request(SendOpcode.RDMA_WRITE, 100, 0, 8)
                        .remote(region.address(), ~region.rkey()));
        postSends(initiator, 101, 101 + COUNT);

        initiator.awaitSend().assertId(100).assertStatus(WorkCompletionStatus.REMOTE_ACCESS);
        assertSendsFlushed(initiator, 101, 101 + COUNT);
        assertReceivesFlushed(initiator, 0, COUNT);
    }

    @Test
    void shouldFlushBothQueuesOfTargetThatRefusedRequest() {
        ConnectedPair pair = connect();
        Endpoint target = pair.target();
        postReceives(target, COUNT);
        postSends(target, 100, 100 + COUNT);
        MemoryRegion region = target.region();

        pair.initiator()
                .post(
                        pair.initiator()
                                .request(SendOpcode.RDMA_WRITE, 1, 0, 8)
                                .remote(region.address(), ~region.rkey()));

        pair.initiator().awaitSend().assertStatus(WorkCompletionStatus.REMOTE_ACCESS);
        assertReceivesFlushed(target, 0, COUNT);
        assertSendsFlushed(target, 100, 100 + COUNT);
    }

    @ParameterizedTest
    @EnumSource(
            value = SendOpcode.class,
            names = {"SEND", "RDMA_WRITE", "RDMA_READ"})
    void shouldGiveUpOnPeerInError(SendOpcode opcode) {
        ConnectedPair pair = connect();
        pair.target().fail();

        postToPeer(pair, opcode);

        assertGaveUp(pair.initiator());
    }

    @ParameterizedTest
    @EnumSource(
            value = SendOpcode.class,
            names = {"SEND", "RDMA_WRITE", "RDMA_READ"})
    void shouldGiveUpOnPeerThatWasClosed(SendOpcode opcode) {
        ConnectedPair pair = connect();
        pair.target().queuePair().close();

        postToPeer(pair, opcode);

        assertGaveUp(pair.initiator());
    }

    @Test
    void shouldGiveUpOnPeerThatFailsWhileNotReady() {
        ConnectedPair pair = connect();
        postToPeer(pair, SendOpcode.SEND);

        pair.target().fail();

        assertGaveUp(pair.initiator());
    }

    @Test
    void shouldGiveUpOnPeerThatIsClosedWhileNotReady() {
        ConnectedPair pair = connect();
        postToPeer(pair, SendOpcode.SEND);

        pair.target().queuePair().close();

        assertGaveUp(pair.initiator());
    }

    private static void postToPeer(ConnectedPair pair, SendOpcode opcode) {
        for (int i = 0; i < 3; i++) {
            pair.initiator().post(pair.initiator().remote(opcode, i, 0, 64, 0));
        }
    }

    private static void assertGaveUp(Endpoint endpoint) {
        endpoint.awaitSend().assertId(0).assertStatus(WorkCompletionStatus.RETRY_EXCEEDED);
        assertSendsFlushed(endpoint, 1, 3);
        endpoint.awaitState(QueuePairState.ERROR);
    }

    private static void postReceives(Endpoint endpoint, int count) {
        for (int i = 0; i < count; i++) {
            endpoint.postReceive(i, i * 64L, 64);
        }
    }

    private static void postSends(Endpoint endpoint, long from, long to) {
        for (long id = from; id < to; id++) {
            endpoint.postSend(id, 0, 64);
        }
    }

    private static void assertReceivesFlushed(Endpoint endpoint, long from, long to) {
        for (long id = from; id < to; id++) {
            endpoint.awaitReceive()
                    .assertId(id)
                    .assertStatus(WorkCompletionStatus.WORK_REQUEST_FLUSHED);
        }
    }

    private static void assertSendsFlushed(Endpoint endpoint, long from, long to) {
        for (long id = from; id < to; id++) {
            endpoint.awaitSend()
                    .assertId(id)
                    .assertStatus(WorkCompletionStatus.WORK_REQUEST_FLUSHED);
        }
    }
}
