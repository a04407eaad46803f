// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.ReceiveWorkRequest;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.WorkCompletionOpcode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** SEND and SEND_WITH_IMMEDIATE into posted receives. */
public abstract class SendReceiveConformance extends ConformanceTest {
    private static final long UNTOUCHED = 77;

    @ParameterizedTest
    @EnumSource
    void shouldDeliverMessagesOfEverySize(MemoryPlacement placement) {
        ConnectedPair pair = pairOf(placement, Sizes.LARGEST_EDGE + 2L * Sizes.GUARD);

        for (int size : Sizes.EDGES) {
            deliver(pair, size);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"USER_TO_USER", "DEVICE_TO_DEVICE"})
    void shouldDeliverHugeMessage(MemoryPlacement placement) {
        ConnectedPair pair = pairOf(placement, Sizes.HUGE + 2L * Sizes.GUARD);

        deliver(pair, Sizes.HUGE);
    }

    private ConnectedPair pairOf(MemoryPlacement placement, long regionBytes) {
        ConnectedPair.Builder builder = pair();
        placement.applyTo(builder, regionBytes);
        return closing(builder.connect());
    }

    private static void deliver(ConnectedPair pair, int size) {
        Endpoint target = pair.target();
        target.fill(0, Sizes.GUARD, UNTOUCHED);
        target.fill(Sizes.GUARD + size, Sizes.GUARD, UNTOUCHED);
        pair.initiator().fill(Sizes.GUARD, size, size);
        target.postReceive(size, Sizes.GUARD, size);

        pair.initiator().postSend(~size, Sizes.GUARD, size);

        target.awaitReceive()
                .assertSuccess(WorkCompletionOpcode.RECEIVE)
                .assertId(size)
                .assertLength(size)
                .assertNoImmediate();
        pair.initiator().awaitSend().assertSuccess(WorkCompletionOpcode.SEND).assertId(~size);
        target.verify(Sizes.GUARD, size, size);
        target.verify(0, Sizes.GUARD, UNTOUCHED);
        target.verify(Sizes.GUARD + size, Sizes.GUARD, UNTOUCHED);
    }

    @Test
    void shouldLeaveRestOfLargerBufferUntouched() {
        ConnectedPair pair = connect();
        pair.initiator().fill(0, 100, 1);
        pair.target().fill(100, 900, UNTOUCHED);
        pair.target().postReceive(1, 0, 1000);

        pair.initiator().postSend(2, 0, 100);

        pair.target().awaitReceive().assertSuccess(WorkCompletionOpcode.RECEIVE).assertLength(100);
        pair.target().verify(0, 100, 1);
        pair.target().verify(100, 900, UNTOUCHED);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, -1, Integer.MIN_VALUE, Integer.MAX_VALUE, 0x01020304})
    void shouldDeliverImmediateData(int immediate) {
        ConnectedPair pair = connect();
        pair.initiator().fill(0, 16, 3);
        pair.target().postReceive(1, 0, 64);

        pair.initiator()
                .post(
                        pair.initiator()
                                .request(SendOpcode.SEND_WITH_IMMEDIATE, 2, 0, 16)
                                .immediate(immediate));

        pair.target()
                .awaitReceive()
                .assertSuccess(WorkCompletionOpcode.RECEIVE)
                .assertLength(16)
                .assertImmediate(immediate);
        pair.initiator().awaitSend().assertSuccess(WorkCompletionOpcode.SEND);
        pair.target().verify(0, 16, 3);
    }

    @Test
    void shouldDeliverImmediateDataWithoutPayload() {
        ConnectedPair pair = connect();
        pair.target().postReceive(1, 0, 0);

        pair.initiator()
                .post(
                        pair.initiator()
                                .request(SendOpcode.SEND_WITH_IMMEDIATE, 2)
                                .immediate(0xcafe));

        pair.target()
                .awaitReceive()
                .assertSuccess(WorkCompletionOpcode.RECEIVE)
                .assertLength(0)
                .assertImmediate(0xcafe);
    }

    @Test
    void shouldSetNoFlagsOnPlainReceive() {
        assumeNo(Quirk.GRH_FLAG_ON_EVERY_RECEIVE);
        ConnectedPair pair = connect();
        pair.target().postReceive(1, 0, 8);

        pair.initiator().postSend(2, 0, 8);

        assertThat(pair.target().awaitReceive().flags()).isZero();
    }

    @Test
    void shouldConsumeReceiveByEmptySend() {
        ConnectedPair pair = connect();
        pair.target().fill(0, 64, UNTOUCHED);
        pair.target().postReceive(1, 0, 64);
        pair.target().postReceive(2, 64, 64);

        pair.initiator().postSend(3, 0, 0);
        pair.initiator().postSend(4, 0, 64);

        pair.target().awaitReceive().assertId(1).assertSuccess(WorkCompletionOpcode.RECEIVE);
        pair.target().awaitReceive().assertId(2).assertLength(64);
        pair.target().verify(0, 64, UNTOUCHED);
    }

    @ParameterizedTest
    @CsvSource({"1,1", "1,2", "2,1", "2,2", "3,2", "2,3", "3,3", "1,0", "0,1", "0,0"})
    void shouldGatherAndScatterElements(int send, int receive) {
        // 0 means as many as the device allows, within what a request can hold.
        int most = Math.min(device().maxElements(), 256);
        int sendCount = send == 0 ? most : send;
        int receiveCount = receive == 0 ? most : receive;
        ConnectedPair pair =
                closing(pair().both(side -> side.elements(sendCount, receiveCount)).connect());
        int length = 3001;
        Pattern.fill(pair.initiator().memory(0, length), 5);

        pair.target().post(scattered(pair.target(), Sizes.uneven(length, receiveCount)));
        pair.initiator().post(gathered(pair.initiator(), Sizes.uneven(length, sendCount)));

        pair.target().awaitReceive().assertLength(length);
        pair.initiator().awaitSend().assertSuccess(WorkCompletionOpcode.SEND);
        verifyReversed(pair.target(), Sizes.uneven(length, receiveCount));
    }

    private static SendWorkRequest gathered(Endpoint endpoint, int[] sizes) {
        SendWorkRequest request = endpoint.request(SendOpcode.SEND, 1).elementCount(sizes.length);
        long offset = 0;
        for (int i = 0; i < sizes.length; i++) {
            request.element(i).set(endpoint.region(), offset, sizes[i]);
            offset += sizes[i];
        }
        return request;
    }

    /** The elements lie in reverse order in the region, so that only their own order counts. */
    private static ReceiveWorkRequest scattered(Endpoint endpoint, int[] sizes) {
        ReceiveWorkRequest request = endpoint.receive(1).elementCount(sizes.length);
        long end = endpoint.region().length();
        for (int i = 0; i < sizes.length; i++) {
            end -= sizes[i];
            request.element(i).set(endpoint.region(), end, sizes[i]);
        }
        return request;
    }

    private static void verifyReversed(Endpoint endpoint, int[] sizes) {
        long end = endpoint.region().length();
        long position = 0;
        for (int size : sizes) {
            end -= size;
            Pattern.verify(endpoint.memory(end, size), 5, position);
            position += size;
        }
    }

    @Test
    void shouldFillOnlyFirstElementsWithShortMessage() {
        ConnectedPair pair = connect();
        pair.initiator().fill(0, 150, 1);
        pair.target().fill(0, 3000, UNTOUCHED);
        ReceiveWorkRequest receive = pair.target().receive(1).elementCount(3);
        receive.element(0).set(pair.target().region(), 0, 100);
        receive.element(1).set(pair.target().region(), 1000, 100);
        receive.element(2).set(pair.target().region(), 2000, 100);
        pair.target().post(receive);

        pair.initiator().postSend(2, 0, 150);

        pair.target().awaitReceive().assertLength(150);
        Pattern.verify(pair.target().memory(0, 100), 1, 0);
        Pattern.verify(pair.target().memory(1000, 50), 1, 100);
        Pattern.verify(pair.target().memory(1050, 950), UNTOUCHED, 1050);
        Pattern.verify(pair.target().memory(2000, 1000), UNTOUCHED, 2000);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE, Long.MAX_VALUE, 0x8000_0001_8000_0001L})
    void shouldReturnAllBitsOfRequestNumbers(long id) {
        ConnectedPair pair = connect();
        pair.target().postReceive(id, 0, 8);

        pair.initiator().postSend(id, 0, 8);

        pair.target().awaitReceive().assertId(id);
        pair.initiator().awaitSend().assertId(id);
    }

    @Test
    void shouldReportNumberOfOwnQueuePair() {
        ConnectedPair pair = connect();
        pair.target().postReceive(1, 0, 8);

        pair.initiator().postSend(2, 0, 8);

        assertThat(pair.target().awaitReceive().queuePairNumber())
                .isEqualTo(pair.target().queuePair().number());
        assertThat(pair.initiator().awaitSend().queuePairNumber())
                .isEqualTo(pair.initiator().queuePair().number());
    }

    @Test
    void shouldConsumeReceivesInOrder() {
        ConnectedPair pair = connect();
        for (int i = 0; i < 8; i++) {
            pair.target().postReceive(100 + i, i * 64L, 64);
            pair.initiator().fill(i * 64L, 64, i);
        }

        for (int i = 0; i < 8; i++) {
            pair.initiator().postSend(i, i * 64L, 64);
        }

        for (int i = 0; i < 8; i++) {
            pair.target().awaitReceive().assertId(100 + i).assertLength(64);
            pair.initiator().awaitSend().assertId(i);
            pair.target().verify(i * 64L, 64, i);
        }
    }

    @Test
    void shouldUseReceivePostedInInit() {
        ConnectedPair pair = closing(pair().build());
        Endpoint target = pair.target();
        target.toInit();
        target.postReceive(1, 0, 64);
        pair.connect();
        pair.initiator().fill(0, 64, 9);

        pair.initiator().postSend(2, 0, 64);

        target.awaitReceive().assertId(1).assertSuccess(WorkCompletionOpcode.RECEIVE);
        target.verify(0, 64, 9);
    }

    @Test
    void shouldUseOneCompletionQueueForBothDirections() {
        ConnectedPair pair = closing(pair().both(EndpointBuilder::oneQueue).connect());
        pair.initiator().postReceive(1, 0, 64);
        pair.target().postReceive(2, 0, 64);

        pair.initiator().postSend(3, 64, 64);
        pair.target().awaitReceive().assertId(2).assertSuccess(WorkCompletionOpcode.RECEIVE);
        pair.target().postSend(4, 64, 64);

        pair.initiator().awaitSend().assertId(3).assertSuccess(WorkCompletionOpcode.SEND);
        pair.initiator().awaitSend().assertId(1).assertSuccess(WorkCompletionOpcode.RECEIVE);
        pair.target().awaitSend().assertId(4).assertSuccess(WorkCompletionOpcode.SEND);
    }

    @Test
    void shouldKeepCompletionsOfEachDirectionOnItsOwnQueue() {
        ConnectedPair pair = connect();
        pair.initiator().postReceive(1, 0, 8);
        pair.target().postReceive(2, 0, 8);

        pair.initiator().postSend(3, 0, 8);
        pair.target().postSend(4, 0, 8);

        pair.initiator().awaitReceive().assertId(1);
        pair.initiator().awaitSend().assertId(3);
        pair.target().awaitReceive().assertId(2);
        pair.target().awaitSend().assertId(4);
        pair.initiator().assertNoCompletion();
        pair.target().assertNoCompletion();
    }
}
