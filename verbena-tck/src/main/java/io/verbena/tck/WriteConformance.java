// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.WorkCompletionOpcode;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** RDMA_WRITE and RDMA_WRITE_WITH_IMMEDIATE. */
public abstract class WriteConformance extends ConformanceTest {
    private static final long UNTOUCHED = 77;

    @ParameterizedTest
    @EnumSource
    void shouldWriteEverySize(MemoryPlacement placement) {
        ConnectedPair pair = pairOf(placement, Sizes.LARGEST_EDGE + 2L * Sizes.GUARD);

        for (int size : Sizes.EDGES) {
            write(pair, size);
        }

        pair.target().assertNoCompletion();
    }

    @ParameterizedTest
    @EnumSource(names = {"USER_TO_USER", "DEVICE_TO_DEVICE"})
    void shouldWriteHugeMessage(MemoryPlacement placement) {
        ConnectedPair pair = pairOf(placement, Sizes.HUGE + 2L * Sizes.GUARD);

        write(pair, Sizes.HUGE);
    }

    private ConnectedPair pairOf(MemoryPlacement placement, long regionBytes) {
        ConnectedPair.Builder builder = pair();
        placement.applyTo(builder, regionBytes);
        return closing(builder.connect());
    }

    /** The target polls nothing: a write must complete without its help. */
    private static void write(ConnectedPair pair, int size) {
        Endpoint initiator = pair.initiator();
        Endpoint target = pair.target();
        target.fill(0, Sizes.GUARD, UNTOUCHED);
        target.fill(Sizes.GUARD + size, Sizes.GUARD, UNTOUCHED);
        initiator.fill(Sizes.GUARD, size, size);

        initiator.post(
                initiator.remote(SendOpcode.RDMA_WRITE, size, Sizes.GUARD, size, Sizes.GUARD));

        initiator.awaitSend().assertSuccess(WorkCompletionOpcode.RDMA_WRITE).assertId(size);
        target.verify(Sizes.GUARD, size, size);
        target.verify(0, Sizes.GUARD, UNTOUCHED);
        target.verify(Sizes.GUARD + size, Sizes.GUARD, UNTOUCHED);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 7, 63, 4095})
    void shouldWriteToAndFromOddAddresses(int offset) {
        ConnectedPair pair = connect();
        pair.initiator().fill(offset, 2000, offset);
        pair.target().fill(0, 8192, UNTOUCHED);
        int remoteOffset = 4096 - offset;

        pair.initiator()
                .post(
                        pair.initiator()
                                .remote(SendOpcode.RDMA_WRITE, 1, offset, 2000, remoteOffset));

        pair.initiator().awaitSend().assertSuccess(WorkCompletionOpcode.RDMA_WRITE);
        pair.target().verify(remoteOffset, 2000, offset);
        pair.target().verify(0, remoteOffset, UNTOUCHED);
        int end = remoteOffset + 2000;
        Pattern.verify(pair.target().memory(end, 8192 - end), UNTOUCHED, end);
    }

    @ParameterizedTest
    @EnumSource(MemoryKind.class)
    void shouldWriteWholeRegion(MemoryKind kind) {
        ConnectedPair pair =
                closing(pair().both(side -> side.memory(kind).regionBytes(12345)).connect());
        pair.initiator().fill(0, 12345, 6);

        pair.initiator().post(pair.initiator().remote(SendOpcode.RDMA_WRITE, 1, 0, 12345, 0));

        pair.initiator().awaitSend().assertSuccess(WorkCompletionOpcode.RDMA_WRITE);
        pair.target().verify(0, 12345, 6);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 8191})
    void shouldWriteFirstAndLastByteOfRegion(long offset) {
        ConnectedPair pair = connect();
        pair.target().fill(0, 8192, UNTOUCHED);
        pair.initiator().fill(0, 1, 4);

        pair.initiator().post(pair.initiator().remote(SendOpcode.RDMA_WRITE, 1, 0, 1, offset));

        pair.initiator().awaitSend().assertSuccess(WorkCompletionOpcode.RDMA_WRITE);
        pair.target().verify(offset, 1, 4);
        Pattern.verify(pair.target().memory(1, 8190), UNTOUCHED, 1);
    }

    @Test
    void shouldSkipKeyCheckOfEmptyWrite() {
        ConnectedPair pair = connect();

        pair.initiator().post(pair.initiator().request(SendOpcode.RDMA_WRITE, 1).remote(0, 0));

        pair.initiator().awaitSend().assertSuccess(WorkCompletionOpcode.RDMA_WRITE).assertId(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    void shouldGatherElementsOfWrite(int count) {
        ConnectedPair pair = connect();
        Endpoint initiator = pair.initiator();
        int length = 2501;
        int[] sizes = Sizes.uneven(length, count);
        SendWorkRequest request =
                initiator.remote(SendOpcode.RDMA_WRITE, 1, 0, 1, 0).elementCount(count);
        byte[] message = Pattern.bytes(8, length);
        int position = 0;
        for (int i = 0; i < count; i++) {
            long offset = 8192L - position - sizes[i];
            initiator
                    .region()
                    .memory()
                    .asSlice(offset, sizes[i])
                    .copyFrom(MemorySegment.ofArray(message).asSlice(position, sizes[i]));
            request.element(i).set(initiator.region(), offset, sizes[i]);
            position += sizes[i];
        }

        initiator.post(request);

        initiator.awaitSend().assertSuccess(WorkCompletionOpcode.RDMA_WRITE);
        pair.target().verify(0, length, 8);
    }

    @Test
    void shouldGatherElementsOfDifferentRegions() {
        ConnectedPair pair = connect();
        Endpoint initiator = pair.initiator();
        MemoryRegion user = initiator.createRegion(MemoryKind.USER, 100);
        MemoryRegion device = initiator.createRegion(MemoryKind.DEVICE, 100);
        Pattern.fill(user.memory(), 1);
        Pattern.fill(device.memory(), 2);
        SendWorkRequest request =
                initiator.remote(SendOpcode.RDMA_WRITE, 1, 0, 1, 0).elementCount(2);
        request.element(0).set(user, 0, 100);
        request.element(1).set(device, 0, 100);

        initiator.post(request);

        initiator.awaitSend().assertSuccess(WorkCompletionOpcode.RDMA_WRITE);
        pair.target().verify(0, 100, 1);
        pair.target().verify(100, 100, 2);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE, 0x0a0b0c0d})
    void shouldConsumeReceiveByWriteWithImmediate(int immediate) {
        ConnectedPair pair = connect();
        pair.initiator().fill(0, 3000, 5);
        pair.target().fill(4096, 64, UNTOUCHED);
        pair.target().postReceive(7, 4096, 64);

        postWithImmediate(pair, 3000, immediate);

        pair.target()
                .awaitReceive()
                .assertSuccess(WorkCompletionOpcode.RECEIVE_RDMA_WITH_IMMEDIATE)
                .assertId(7)
                .assertLength(3000)
                .assertImmediate(immediate);
        pair.initiator().awaitSend().assertSuccess(WorkCompletionOpcode.RDMA_WRITE);
        pair.target().verify(0, 3000, 5);
        pair.target().verify(4096, 64, UNTOUCHED);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 64, 4096})
    void shouldConsumeReceiveWithoutElementsByWriteWithImmediate(int size) {
        ConnectedPair pair = connect();
        pair.initiator().fill(0, size, 5);
        pair.target().postReceive(7, 0, 0);

        postWithImmediate(pair, size, 42);

        pair.target()
                .awaitReceive()
                .assertSuccess(WorkCompletionOpcode.RECEIVE_RDMA_WITH_IMMEDIATE)
                .assertLength(size)
                .assertImmediate(42);
        pair.target().verify(0, size, 5);
    }

    private static void postWithImmediate(ConnectedPair pair, int size, int immediate) {
        pair.initiator()
                .post(
                        pair.initiator()
                                .remote(SendOpcode.RDMA_WRITE_WITH_IMMEDIATE, 1, 0, size, 0)
                                .immediate(immediate));
    }

    @Test
    void shouldNotConsumeReceiveByPlainWrite() {
        ConnectedPair pair = connect();
        pair.target().postReceive(7, 0, 64);

        pair.initiator().post(pair.initiator().remote(SendOpcode.RDMA_WRITE, 1, 0, 64, 64));
        pair.initiator().awaitSend().assertSuccess(WorkCompletionOpcode.RDMA_WRITE);
        pair.initiator().postSend(2, 0, 64);

        pair.target().awaitReceive().assertSuccess(WorkCompletionOpcode.RECEIVE).assertId(7);
        pair.target().assertNoCompletion();
    }

    @Test
    void shouldReachEveryRegionOfDomain() {
        ConnectedPair pair = connect();
        MemoryRegion second =
                pair.target()
                        .createRegion(
                                MemoryKind.USER,
                                512,
                                AccessFlag.LOCAL_WRITE,
                                AccessFlag.REMOTE_WRITE);
        pair.initiator().fill(0, 512, 3);

        pair.initiator()
                .post(
                        pair.initiator()
                                .request(SendOpcode.RDMA_WRITE, 1, 0, 512)
                                .remote(second.address(), second.rkey()));

        pair.initiator().awaitSend().assertSuccess(WorkCompletionOpcode.RDMA_WRITE);
        Pattern.verify(second.memory(), 3);
    }

    @Test
    void shouldWriteFromRegionWithoutAnyAccess() {
        ConnectedPair pair = connect();
        MemoryRegion readOnly = pair.initiator().createRegion(MemoryKind.USER, 256);
        Pattern.fill(readOnly.memory(), 9);

        pair.initiator()
                .post(
                        pair.initiator()
                                .remote(SendOpcode.RDMA_WRITE, 1, 0, 1, 0)
                                .element(readOnly, 0, 256));

        pair.initiator().awaitSend().assertSuccess(WorkCompletionOpcode.RDMA_WRITE);
        pair.target().verify(0, 256, 9);
    }
}
