// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ReceiveWorkRequest;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.WorkCompletionOpcode;
import io.verbena.verbs.WorkCompletionStatus;
import java.util.Arrays;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that the other side must refuse, with the status each side then sees. */
public abstract class RemoteErrorConformance extends ConformanceTest {
    private static final long UNTOUCHED = 77;

    @ParameterizedTest
    @EnumSource
    void shouldRefuseForbiddenWrite(RemoteFault fault) {
        for (MemoryKind kind : MemoryKind.values()) {
            assertForbidden(SendOpcode.RDMA_WRITE, fault, kind);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldRefuseForbiddenRead(RemoteFault fault) {
        for (MemoryKind kind : MemoryKind.values()) {
            assertForbidden(SendOpcode.RDMA_READ, fault, kind);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldRefuseForbiddenCompareAndSwap(RemoteFault fault) {
        assertForbidden(SendOpcode.COMPARE_AND_SWAP, fault, MemoryKind.DEVICE);
    }

    @ParameterizedTest
    @EnumSource
    void shouldRefuseForbiddenFetchAndAdd(RemoteFault fault) {
        assertForbidden(SendOpcode.FETCH_AND_ADD, fault, MemoryKind.USER);
    }

    private void assertForbidden(SendOpcode opcode, RemoteFault fault, MemoryKind kind) {
        ConnectedPair pair = closing(pair().both(side -> side.memory(kind)).connect());
        RemoteFault.Place place = fault.place(pair.target(), kind, needed(opcode));
        Assumptions.assumeFalse(
                fault == RemoteFault.LOCAL_KEY && place.rkey() == place.region().rkey(),
                "the device uses one key for both");
        Pattern.fill(place.region().memory(), UNTOUCHED);
        pair.initiator().fill(0, 64, 1);

        pair.initiator().post(operation(pair, opcode, place.address(), place.rkey()));

        pair.initiator().awaitSend().assertId(1).assertStatus(WorkCompletionStatus.REMOTE_ACCESS);
        pair.awaitBothInError();
        Pattern.verify(place.region().memory(), UNTOUCHED);
        pair.initiator().verify(0, 64, 1);
    }

    @ParameterizedTest
    @ValueSource(ints = {4096, 65536})
    void shouldWriteNothingIfEndOfLongWriteIsForbidden(int size) {
        ConnectedPair pair = closing(pair().initiator(side -> side.regionBytes(size)).connect());
        MemoryRegion small =
                pair.target().createRegion(MemoryKind.DEVICE, size - 1, AccessFlag.values());
        Pattern.fill(small.memory(), UNTOUCHED);

        pair.initiator()
                .post(
                        pair.initiator()
                                .request(SendOpcode.RDMA_WRITE, 1, 0, size)
                                .remote(small.address(), small.rkey()));

        pair.initiator().awaitSend().assertStatus(WorkCompletionStatus.REMOTE_ACCESS);
        Pattern.verify(small.memory(), UNTOUCHED);
    }

    @ParameterizedTest
    @EnumSource(
            value = SendOpcode.class,
            names = {"RDMA_WRITE", "RDMA_READ", "COMPARE_AND_SWAP", "FETCH_AND_ADD"})
    void shouldRefuseWhatQueuePairDoesNotAllow(SendOpcode opcode) {
        AccessFlag[] others =
                Arrays.stream(AccessFlag.values())
                        .filter(flag -> flag != needed(opcode))
                        .toArray(AccessFlag[]::new);
        ConnectedPair pair =
                closing(pair().target(side -> side.connectionAccess(others)).connect());
        pair.target().fill(0, 64, UNTOUCHED);

        pair.initiator().post(toRegion(pair, opcode, 0));

        assertInvalidRequest(pair);
    }

    @ParameterizedTest
    @EnumSource(
            value = SendOpcode.class,
            names = {"RDMA_READ", "COMPARE_AND_SWAP", "FETCH_AND_ADD"})
    void shouldRefuseReadOrAtomicIfTargetAnswersNone(SendOpcode opcode) {
        ConnectedPair pair =
                closing(
                        pair().target(
                                        side ->
                                                side.settings(
                                                        s ->
                                                                s.withReadAtomic(
                                                                        s.maxReadAtomic(), 0)))
                                .connect());
        pair.target().fill(0, 64, UNTOUCHED);

        pair.initiator().post(toRegion(pair, opcode, 0));

        assertInvalidRequest(pair);
    }

    @ParameterizedTest
    @CsvSource({
        "COMPARE_AND_SWAP, 1",
        "COMPARE_AND_SWAP, 4",
        "FETCH_AND_ADD, 4",
        "FETCH_AND_ADD, 7"
    })
    void shouldRefuseMisalignedAtomic(SendOpcode opcode, int offset) {
        ConnectedPair pair = connect();
        assumeAtomics(pair);
        pair.target().fill(0, 64, UNTOUCHED);
        SendWorkRequest misaligned = toRegion(pair, opcode, offset);

        if (has(Quirk.MISALIGNED_ATOMIC_REFUSED_WHEN_POSTED)) {
            assertInvalid(() -> pair.initiator().post(misaligned));
            pair.initiator().assertNoCompletion();
            pair.target().verify(0, 64, UNTOUCHED);
            return;
        }
        pair.initiator().post(misaligned);

        assertInvalidRequest(pair);
    }

    private static void assertInvalidRequest(ConnectedPair pair) {
        pair.initiator()
                .awaitSend()
                .assertId(1)
                .assertStatus(WorkCompletionStatus.REMOTE_INVALID_REQUEST);
        pair.awaitBothInError();
        pair.target().verify(0, 64, UNTOUCHED);
    }

    @ParameterizedTest
    @CsvSource({"65, 64", "1, 0", "4097, 4096", "70000, 1", "8, 7"})
    void shouldFailSendLongerThanReceive(int sent, int room) {
        ConnectedPair pair = closing(pair().both(side -> side.regionBytes(1 << 17)).connect());
        pair.target().fill(room, 8192, UNTOUCHED);
        pair.target().postReceive(1, 0, room);

        pair.initiator().postSend(2, 0, sent);

        assertOversized(pair);
        pair.target().verify(room, 8192, UNTOUCHED);
    }

    @Test
    void shouldFailSendLongerThanAllElementsOfReceive() {
        ConnectedPair pair = connect();
        ReceiveWorkRequest receive = pair.target().receive(1).elementCount(2);
        receive.element(0).set(pair.target().region(), 0, 10);
        receive.element(1).set(pair.target().region(), 100, 10);
        pair.target().fill(110, 64, UNTOUCHED);
        pair.target().post(receive);

        pair.initiator().postSend(2, 0, 21);

        assertOversized(pair);
        pair.target().verify(110, 64, UNTOUCHED);
    }

    private void assertOversized(ConnectedPair pair) {
        boolean quirk = has(Quirk.OVERSIZED_SEND_REPORTED_AS_OPERATION_ERROR);
        pair.initiator()
                .awaitSend()
                .assertId(2)
                .assertStatus(
                        quirk
                                ? WorkCompletionStatus.REMOTE_OPERATION
                                : WorkCompletionStatus.REMOTE_INVALID_REQUEST);
        pair.target()
                .awaitReceive()
                .assertId(1)
                .assertStatus(
                        quirk
                                ? WorkCompletionStatus.LOCAL_QP_OPERATION
                                : WorkCompletionStatus.LOCAL_LENGTH);
        pair.awaitBothInError();
    }

    @Test
    void shouldFailReceiveOfForbiddenWriteWithImmediate() {
        ConnectedPair pair = connect();
        MemoryRegion region = pair.target().region();
        pair.target().fill(0, 64, UNTOUCHED);
        pair.target().postReceive(1, 0, 64);
        pair.target().postReceive(2, 0, 64);

        pair.initiator()
                .post(
                        pair.initiator()
                                .request(SendOpcode.RDMA_WRITE_WITH_IMMEDIATE, 3, 0, 64)
                                .remote(region.address(), ~region.rkey()));

        pair.initiator().awaitSend().assertId(3).assertStatus(WorkCompletionStatus.REMOTE_ACCESS);
        pair.target()
                .awaitReceive()
                .assertId(1)
                .assertStatus(
                        has(Quirk.FORBIDDEN_WRITE_ENDS_RECEIVE_WITH_REMOTE_ACCESS)
                                ? WorkCompletionStatus.REMOTE_ACCESS
                                : WorkCompletionStatus.LOCAL_ACCESS);
        pair.target()
                .awaitReceive()
                .assertId(2)
                .assertStatus(WorkCompletionStatus.WORK_REQUEST_FLUSHED);
        pair.awaitBothInError();
        pair.target().verify(0, 64, UNTOUCHED);
    }

    @Test
    void shouldCompleteWhatWasBeforeForbiddenRequest() {
        ConnectedPair pair = connect();
        Endpoint initiator = pair.initiator();
        initiator.fill(0, 64, 5);
        MemoryRegion region = pair.target().region();

        initiator.post(
                initiator
                        .remote(SendOpcode.RDMA_WRITE, 0, 0, 64, 512)
                        .next(
                                operation(
                                        pair,
                                        SendOpcode.RDMA_READ,
                                        region.address(),
                                        ~region.rkey())));

        initiator.awaitSend().assertId(0).assertSuccess(WorkCompletionOpcode.RDMA_WRITE);
        initiator.awaitSend().assertId(1).assertStatus(WorkCompletionStatus.REMOTE_ACCESS);
        pair.target().verify(512, 64, 5);
    }

    private static SendWorkRequest toRegion(ConnectedPair pair, SendOpcode opcode, long offset) {
        MemoryRegion region = pair.target().region();
        return operation(pair, opcode, region.address() + offset, region.rkey());
    }

    private static SendWorkRequest operation(
            ConnectedPair pair, SendOpcode opcode, long address, int rkey) {
        SendWorkRequest request = pair.initiator().request(opcode, 1, 0, 8);
        return switch (opcode) {
            case COMPARE_AND_SWAP -> request.compareAndSwap(address, rkey, 0, 1);
            case FETCH_AND_ADD -> request.fetchAndAdd(address, rkey, 1);
            default -> request.remote(address, rkey);
        };
    }

    private static AccessFlag needed(SendOpcode opcode) {
        return switch (opcode) {
            case RDMA_READ -> AccessFlag.REMOTE_READ;
            case COMPARE_AND_SWAP, FETCH_AND_ADD -> AccessFlag.REMOTE_ATOMIC;
            default -> AccessFlag.REMOTE_WRITE;
        };
    }
}
