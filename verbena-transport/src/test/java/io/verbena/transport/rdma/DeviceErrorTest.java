// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.testing.Eventually;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import io.verbena.transport.TransportFlag;
import io.verbena.verbs.VerbsException;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A device whose verbs throw what they should not, such as for want of memory: nothing stays
 * claimed, so a domain still ends.
 */
@Timeout(20)
class DeviceErrorTest {
    private final WatchedDevice device = new WatchedDevice(DeviceUnderTest.LEFT);
    private RdmaDevice a;
    private RdmaDevice b;

    @BeforeEach
    void open() {
        a = device.open(Domains.FLAGS);
        b = Domains.open(DeviceUnderTest.RIGHT);
    }

    @AfterEach
    void close() {
        device.relent();
        a.close();
        b.close();
    }

    private static OutOfMemoryError fault() {
        return new OutOfMemoryError("thrown by the test");
    }

    private static int claimed(RdmaDevice domain) {
        return domain.dispatchers().all().stream()
                .flatMap(dispatcher -> Arrays.stream(dispatcher.groups()))
                .mapToInt(CompletionGroup::claimed)
                .sum();
    }

    /** {@code options} is asked when the queue pair is there already. */
    @ParameterizedTest
    @ValueSource(strings = {"createCompletionQueue", "createQueuePair", "options"})
    void shouldGiveEverythingBackWhenNoEndpointCanBeMade(String method) throws Exception {
        device.fail(method, 0, DeviceErrorTest::fault);

        assertThatThrownBy(() -> a.endpoints().allocate(Side.CLIENT))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("thrown by the test")
                .hasRootCauseInstanceOf(OutOfMemoryError.class);

        device.relent();
        assertThat(claimed(a)).isZero();
        assertThat(device.queuePairs).hasValue(0);
        assertThatAConnectionWorks();
    }

    @Test
    void shouldGiveBackTheFirstQueueWhenTheSecondCannotBeMade() throws Exception {
        device.fail("createCompletionQueue", 1, DeviceErrorTest::fault);

        assertThatThrownBy(() -> a.endpoints().allocate(Side.CLIENT))
                .isInstanceOf(TransportException.class);

        device.relent();
        assertThat(claimed(a)).isZero();
        assertThatAConnectionWorks();
    }

    @Test
    void shouldNotOpenADomainWhoseQueuePairsCannotBePrepared() {
        WatchedDevice other = new WatchedDevice(DeviceUnderTest.LEFT);
        other.refuse("createQueuePair", 2);

        assertThatThrownBy(
                        () -> other.open(Domains.FLAGS.with(TransportFlag.RDMA_PREPARED_QP_CNT, 4)))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("refused by the test");
        assertThat(other.queuePairs).hasValue(0);
    }

    @Test
    void shouldUseTcpWhenEventsCannotBeRead() throws Exception {
        RecordingSink sink = new RecordingSink();
        EndpointPair.open(a, b, sink, new RecordingSink());

        device.refuse("awaitAsyncEvent", 0);

        assertThat(sink.awaitEnd().error()).isEqualTo(TransportError.ERDMA);
        assertThat(a.endpoints().isAvailable()).isFalse();
    }

    @Test
    void shouldGoOnReadingEventsAfterAnError() throws Exception {
        CountDownLatch thrown = new CountDownLatch(2);
        device.fail(
                "awaitAsyncEvent",
                0,
                () -> {
                    thrown.countDown();
                    return fault();
                });

        // the second time proves that the thread survived the first
        assertThat(thrown.await(15, TimeUnit.SECONDS)).isTrue();
        device.relent();
        assertThat(a.endpoints().isAvailable()).isTrue();
        assertThatAConnectionWorks();
    }

    @Test
    void shouldEndAConnectionWhoseQueuePairCannotBeReset() throws Exception {
        RecordingSink sink = new RecordingSink();
        EndpointPair pair = EndpointPair.open(a, b, sink, new RecordingSink());
        device.fail("modify", 0, DeviceErrorTest::fault);

        pair.left.abort(new TransportException(TransportError.EINTERNAL, "on purpose"));

        assertThat(sink.awaitEnd().error()).isEqualTo(TransportError.EINTERNAL);
        device.relent();
        Eventually.be(0, () -> claimed(a));
        assertThatAConnectionWorks();
    }

    @Test
    void shouldKeepTheSlotUntilThereIsMemoryToDestroyTheQueuePair() throws Exception {
        RecordingSink sink = new RecordingSink();
        EndpointPair pair = EndpointPair.open(a, b, sink, new RecordingSink());
        CountDownLatch tries = new CountDownLatch(3);
        device.fail("modify", 0, DeviceErrorTest::fault);
        device.fail(
                "close",
                0,
                () -> {
                    tries.countDown();
                    return fault();
                });

        pair.left.abort(new TransportException(TransportError.EINTERNAL, "on purpose"));

        assertThat(tries.await(15, TimeUnit.SECONDS)).isTrue();
        assertThat(claimed(a)).isEqualTo(1);
        device.relent();
        assertThat(sink.awaitEnd().error()).isEqualTo(TransportError.EINTERNAL);
        Eventually.be(0, () -> claimed(a));
        assertThatAConnectionWorks();
    }

    /** A handshake that finds no memory may not even be able to give it up. */
    @Test
    void shouldEndAnEndpointThatNobodyOpens() {
        try (RdmaDevice hasty =
                Domains.open(
                        DeviceUnderTest.LEFT,
                        Domains.FLAGS.with(TransportFlag.RDMA_HANDSHAKE_TIMEOUT_MS, 20))) {
            RdmaEndpoint forgotten = hasty.endpoints().allocate(Side.SERVER);
            assertThat(claimed(hasty)).isEqualTo(1);

            Eventually.be(0, () -> claimed(hasty));
            Eventually.be(0, hasty::connections);
            assertThat(forgotten.unwrittenBytes()).isZero();
        }
    }

    private void assertThatAConnectionWorks() throws Exception {
        RecordingSink right = new RecordingSink();
        try (EndpointPair pair = EndpointPair.open(a, b, new RecordingSink(), right)) {
            pair.left.write(pair.leftBytes(new byte[50_000]));
            assertThat(right.awaitBytes(50_000)).hasSize(50_000);
        }
    }
}
