// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.WorkCompletionStatus;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Events that belong to no work request. {@link CompletionQueueConformance} covers overflow. */
public abstract class AsyncEventConformance extends ConformanceTest {
    @Test
    void shouldReportAccessErrorToTheTargetOfAForgedKey() throws InterruptedException {
        ConnectedPair pair = connect();
        assumeReportsBadRequests(pair);
        MemoryRegion region = pair.target().region();

        write(pair, region.address(), region.rkey() ^ 0x55aa);

        pair.initiator().awaitSend().assertStatus(WorkCompletionStatus.REMOTE_ACCESS);
        assertEvent(pair.target(), AsyncEventType.QP_ACCESS_ERROR);
    }

    @Test
    void shouldReportAccessErrorToTheTargetOfAWriteOutOfBounds() throws InterruptedException {
        ConnectedPair pair = connect();
        assumeReportsBadRequests(pair);
        MemoryRegion region = pair.target().region();

        write(pair, region.address() + region.length() - 4, region.rkey());

        pair.initiator().awaitSend().assertStatus(WorkCompletionStatus.REMOTE_ACCESS);
        assertEvent(pair.target(), AsyncEventType.QP_ACCESS_ERROR);
    }

    @Test
    void shouldReportRequestErrorToTheTargetOfAForbiddenOperation() throws InterruptedException {
        ConnectedPair pair =
                closing(pair().target(e -> e.connectionAccess(AccessFlag.REMOTE_READ)).connect());
        assumeReportsBadRequests(pair);
        MemoryRegion region = pair.target().region();

        write(pair, region.address(), region.rkey());

        pair.initiator().awaitSend().assertStatus(WorkCompletionStatus.REMOTE_INVALID_REQUEST);
        assertEvent(pair.target(), AsyncEventType.QP_REQUEST_ERROR);
    }

    @Test
    void shouldReportRequestErrorToTheTargetOfAMisalignedAtomic() throws InterruptedException {
        ConnectedPair pair = connect();
        assumeAtomics(pair);
        assumeReportsBadRequests(pair);
        MemoryRegion region = pair.target().region();
        Endpoint initiator = pair.initiator();
        SendWorkRequest request = initiator.request(SendOpcode.FETCH_AND_ADD, 1);

        initiator.post(
                request.fetchAndAdd(region.address() + 4, region.rkey(), 1)
                        .element(initiator.region(), 0, 8));

        initiator.awaitSend().assertStatus(WorkCompletionStatus.REMOTE_INVALID_REQUEST);
        assertEvent(pair.target(), AsyncEventType.QP_REQUEST_ERROR);
    }

    @Test
    void shouldNotReportToTheSideThatSeesTheCompletion() throws InterruptedException {
        ConnectedPair pair = connect();
        MemoryRegion region = pair.target().region();

        write(pair, region.address(), region.rkey() ^ 0x55aa);

        pair.initiator().awaitSend().assertStatus(WorkCompletionStatus.REMOTE_ACCESS);
        assertThat(pair.initiator().context().awaitAsyncEvent(Silence.SHORT)).isEmpty();
    }

    @Test
    void shouldNotReportAMoveToErrorByTheOwner() throws InterruptedException {
        ConnectedPair pair = connect();

        pair.initiator().fail();

        assertThat(pair.initiator().context().awaitAsyncEvent(Silence.SHORT)).isEmpty();
    }

    @Test
    void shouldReturnAtOnceWithTimeoutZero() throws InterruptedException {
        DeviceContext context = closing(fixture().openInitiator());
        long start = System.nanoTime();

        assertThat(context.awaitAsyncEvent(Duration.ZERO)).isEmpty();

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
    }

    @Test
    void shouldWaitAsLongAsTheTimeout() throws InterruptedException {
        DeviceContext context = closing(fixture().openInitiator());
        long start = System.nanoTime();

        assertThat(context.awaitAsyncEvent(Duration.ofMillis(50))).isEmpty();

        assertThat(Duration.ofNanos(System.nanoTime() - start))
                .isBetween(Duration.ofMillis(49), Duration.ofSeconds(5));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldEndTheWaitOnInterrupt(boolean virtual) throws InterruptedException {
        DeviceContext context = closing(fixture().openInitiator());

        InterruptProbe.assertInterruptible(
                virtual,
                () -> context.awaitAsyncEvent(Duration.ofMinutes(5)),
                fixture().patience());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldEndTheWaitWhenTheContextIsClosed(boolean virtual) throws Exception {
        DeviceContext context = closing(fixture().openInitiator());

        CloseRace.assertCloseWakes(
                virtual,
                () -> context.awaitAsyncEvent(Duration.ofMinutes(5)),
                context::close,
                fixture().patience());
    }

    private static void write(ConnectedPair pair, long address, int rkey) {
        Endpoint initiator = pair.initiator();
        initiator.post(
                initiator
                        .request(SendOpcode.RDMA_WRITE, 1)
                        .remote(address, rkey)
                        .element(initiator.region(), 0, 8));
    }

    private void assertEvent(Endpoint target, AsyncEventType type) throws InterruptedException {
        Optional<AsyncEvent> event = target.context().awaitAsyncEvent(fixture().patience());
        assertThat(event).contains(AsyncEvent.of(type, target.queuePair()));
        target.awaitState(QueuePairState.ERROR);
        assertThat(target.context().awaitAsyncEvent(Silence.SHORT)).isEmpty();
    }

    private static void assumeReportsBadRequests(ConnectedPair pair) {
        Assumptions.assumeFalse(
                pair.target().context().device().isHardware(),
                "kernel devices answer bad requests without an event");
    }
}
