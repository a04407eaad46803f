// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.WorkCompletionOpcode;
import io.verbena.verbs.WorkCompletionStatus;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages that find no receive posted: "receiver not ready". */
public abstract class RnrConformance extends ConformanceTest {
    private static final int RETRIES = 3;
    private static final int FOR_EVER = 7;
    private static final int TIMER_10_US = 1;
    private static final int TIMER_10_MS = 20;
    private static final int TIMER_41_MS = 24;
    private static final int TIMER_82_MS = 26;
    private static final Duration WAIT_10_MS = Duration.ofNanos(10_240_000);
    private static final Duration A_WHILE = Duration.ofMillis(50);
    private static final Duration A_MOMENT = Duration.ofMillis(5);

    @Test
    void shouldFailAtOnceWithoutRetries() {
        ConnectedPair pair = pairOf(0, TIMER_10_MS);

        pair.initiator().postSend(1, 0, 64);
        pair.initiator().postSend(2, 0, 64);

        pair.initiator()
                .awaitSend()
                .assertId(1)
                .assertStatus(WorkCompletionStatus.RNR_RETRY_EXCEEDED);
        pair.initiator()
                .awaitSend()
                .assertId(2)
                .assertStatus(WorkCompletionStatus.WORK_REQUEST_FLUSHED);
        pair.initiator().awaitState(QueuePairState.ERROR);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6})
    void shouldWaitTargetsTimeBeforeEachRetry(int retries) {
        ConnectedPair pair = pairOf(retries, TIMER_10_MS);
        long start = System.nanoTime();

        pair.initiator().postSend(1, 0, 64);

        pair.initiator()
                .awaitSend()
                .assertId(1)
                .assertStatus(WorkCompletionStatus.RNR_RETRY_EXCEEDED);
        Duration taken = Duration.ofNanos(System.nanoTime() - start);
        assertThat(taken).isGreaterThanOrEqualTo(WAIT_10_MS.multipliedBy(retries));
    }

    @Test
    void shouldLeaveTargetWorkingWhenInitiatorGaveUp() {
        ConnectedPair pair = pairOf(0, TIMER_10_US);

        pair.initiator().postSend(1, 0, 64);

        pair.initiator().awaitSend().assertStatus(WorkCompletionStatus.RNR_RETRY_EXCEEDED);
        assertThat(pair.target().queuePair().state()).isEqualTo(QueuePairState.READY_TO_SEND);
        pair.target().assertNoCompletion();
    }

    @ParameterizedTest
    @EnumSource(
            value = SendOpcode.class,
            names = {"SEND", "SEND_WITH_IMMEDIATE", "RDMA_WRITE_WITH_IMMEDIATE"})
    void shouldFailEveryOpcodeThatNeedsReceive(SendOpcode opcode) {
        ConnectedPair pair = pairOf(1, TIMER_10_US);

        pair.initiator().post(pair.initiator().remote(opcode, 1, 0, 64, 0));

        pair.initiator()
                .awaitSend()
                .assertId(1)
                .assertStatus(WorkCompletionStatus.RNR_RETRY_EXCEEDED);
    }

    @Test
    void shouldNeedNoReceiveForOneSidedOperations() {
        ConnectedPair pair = pairOf(0, TIMER_10_US);
        Endpoint initiator = pair.initiator();

        initiator.post(initiator.remote(SendOpcode.RDMA_WRITE, 1, 0, 64, 0));
        initiator.post(initiator.remote(SendOpcode.RDMA_READ, 2, 0, 64, 0));

        initiator.awaitSend().assertId(1).assertSuccess(WorkCompletionOpcode.RDMA_WRITE);
        initiator.awaitSend().assertId(2).assertSuccess(WorkCompletionOpcode.RDMA_READ);
    }

    @ParameterizedTest
    @EnumSource(
            value = SendOpcode.class,
            names = {"SEND", "SEND_WITH_IMMEDIATE", "RDMA_WRITE_WITH_IMMEDIATE"})
    void shouldWaitForEverWithSevenRetries(SendOpcode opcode) {
        ConnectedPair pair = pairOf(FOR_EVER, TIMER_10_US);
        pair.initiator().fill(0, 3000, 1);

        pair.initiator().post(pair.initiator().remote(opcode, 1, 0, 3000, 0).immediate(9));
        pair.initiator().assertQuiet(A_WHILE);
        pair.target().postReceive(2, 0, 3000);

        pair.target().awaitReceive().assertId(2).assertStatus(WorkCompletionStatus.SUCCESS);
        pair.initiator().awaitSend().assertId(1).assertStatus(WorkCompletionStatus.SUCCESS);
        pair.target().verify(0, 3000, 1);
    }

    @Test
    void shouldSucceedIfReceiveComesInTime() {
        ConnectedPair pair = pairOf(3, TIMER_82_MS);
        pair.initiator().fill(0, 64, 1);

        pair.initiator().postSend(1, 0, 64);
        pair.initiator().assertQuiet(A_MOMENT);
        pair.target().postReceive(2, 0, 64);

        pair.initiator().awaitSend().assertId(1).assertSuccess(WorkCompletionOpcode.SEND);
        pair.target().awaitReceive().assertId(2).assertLength(64);
        pair.target().verify(0, 64, 1);
    }

    @Test
    void shouldCountRetriesAnewAfterSuccess() {
        ConnectedPair pair = pairOf(2, TIMER_41_MS);

        for (int i = 0; i < 5; i++) {
            pair.initiator().postSend(i, 0, 64);
            pair.initiator().assertQuiet(A_MOMENT);
            pair.target().postReceive(i, 0, 64);
            pair.initiator().awaitSend().assertId(i).assertSuccess(WorkCompletionOpcode.SEND);
            pair.target().awaitReceive().assertId(i);
        }
    }

    @Test
    void shouldKeepOrderWhileReceiverIsNotReady() {
        ConnectedPair pair = pairOf(FOR_EVER, TIMER_10_US);
        for (int i = 0; i < 8; i++) {
            pair.initiator().fill(i * 64L, 64, i);
            pair.initiator().postSend(i, i * 64L, 64);
        }
        pair.initiator().assertQuiet(A_MOMENT);

        for (int i = 0; i < 8; i++) {
            pair.target().postReceive(100 + i, i * 64L, 64);
            pair.target().awaitReceive().assertId(100 + i).assertLength(64);
            pair.target().verify(i * 64L, 64, i);
            pair.initiator().awaitSend().assertId(i).assertSuccess(WorkCompletionOpcode.SEND);
        }
    }

    @Test
    void shouldHoldBackLaterWriteWhileReceiverIsNotReady() {
        ConnectedPair pair = pairOf(FOR_EVER, TIMER_10_US);
        Endpoint initiator = pair.initiator();
        initiator.fill(0, 64, 1);
        pair.target().fill(512, 64, 2);

        initiator.postSend(1, 0, 64);
        initiator.post(initiator.remote(SendOpcode.RDMA_WRITE, 2, 0, 64, 512));
        initiator.assertQuiet(A_WHILE);

        pair.target().verify(512, 64, 2);
        pair.target().postReceive(3, 0, 64);
        initiator.awaitSend().assertId(1).assertSuccess(WorkCompletionOpcode.SEND);
        initiator.awaitSend().assertId(2).assertSuccess(WorkCompletionOpcode.RDMA_WRITE);
        pair.target().verify(512, 64, 1);
    }

    @Test
    void shouldServeOtherDirectionWhileReceiverIsNotReady() {
        ConnectedPair pair = pairOf(FOR_EVER, TIMER_10_US);
        pair.initiator().postSend(1, 0, 64);
        pair.initiator().postReceive(2, 64, 64);

        pair.target().postSend(3, 0, 64);

        pair.target().awaitSend().assertId(3).assertSuccess(WorkCompletionOpcode.SEND);
        pair.initiator().awaitReceive().assertId(2).assertSuccess(WorkCompletionOpcode.RECEIVE);
    }

    /** The count is the initiator's, the time to wait is the target's. */
    private ConnectedPair pairOf(int rnrRetry, int targetTimer) {
        return closing(
                pair().initiator(
                                side ->
                                        side.settings(
                                                s -> s.withRetries(RETRIES, rnrRetry, TIMER_10_US)))
                        .target(
                                side ->
                                        side.settings(
                                                s -> s.withRetries(RETRIES, FOR_EVER, targetTimer)))
                        .connect());
    }
}
