// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.WorkCompletionOpcode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** RDMA_READ. */
public abstract class ReadConformance extends ConformanceTest {
    private static final long UNTOUCHED = 77;

    @ParameterizedTest
    @EnumSource
    void shouldReadEverySize(MemoryPlacement placement) {
        ConnectedPair pair = pairOf(placement, Sizes.LARGEST_EDGE + 2L * Sizes.GUARD);

        for (int size : Sizes.EDGES) {
            read(pair, size);
        }

        pair.target().assertNoCompletion();
    }

    @ParameterizedTest
    @EnumSource(names = {"USER_TO_USER", "DEVICE_TO_DEVICE"})
    void shouldReadHugeMessage(MemoryPlacement placement) {
        ConnectedPair pair = pairOf(placement, Sizes.HUGE + 2L * Sizes.GUARD);

        read(pair, Sizes.HUGE);
    }

    private ConnectedPair pairOf(MemoryPlacement placement, long regionBytes) {
        ConnectedPair.Builder builder = pair();
        placement.applyTo(builder, regionBytes);
        return closing(builder.connect());
    }

    /** The target polls nothing: a read must complete without its help. */
    private static void read(ConnectedPair pair, int size) {
        Endpoint initiator = pair.initiator();
        initiator.fill(0, Sizes.GUARD, UNTOUCHED);
        initiator.fill(Sizes.GUARD + size, Sizes.GUARD, UNTOUCHED);
        pair.target().fill(Sizes.GUARD, size, size);

        initiator.post(
                initiator.remote(SendOpcode.RDMA_READ, size, Sizes.GUARD, size, Sizes.GUARD));

        initiator
                .awaitSend()
                .assertSuccess(WorkCompletionOpcode.RDMA_READ)
                .assertId(size)
                .assertLength(size);
        initiator.verify(Sizes.GUARD, size, size);
        initiator.verify(0, Sizes.GUARD, UNTOUCHED);
        initiator.verify(Sizes.GUARD + size, Sizes.GUARD, UNTOUCHED);
        pair.target().verify(Sizes.GUARD, size, size);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 7, 63, 4095})
    void shouldReadToAndFromOddAddresses(int offset) {
        ConnectedPair pair = connect();
        pair.initiator().fill(0, 8192, UNTOUCHED);
        int remoteOffset = 4096 - offset;
        pair.target().fill(remoteOffset, 2000, offset);

        pair.initiator()
                .post(pair.initiator().remote(SendOpcode.RDMA_READ, 1, offset, 2000, remoteOffset));

        pair.initiator().awaitSend().assertSuccess(WorkCompletionOpcode.RDMA_READ);
        pair.initiator().verify(offset, 2000, offset);
        pair.initiator().verify(0, offset, UNTOUCHED);
        int end = offset + 2000;
        Pattern.verify(pair.initiator().memory(end, 8192 - end), UNTOUCHED, end);
    }

    @Test
    void shouldSkipKeyCheckOfEmptyRead() {
        ConnectedPair pair = connect();

        pair.initiator().post(pair.initiator().request(SendOpcode.RDMA_READ, 1).remote(0, 0));

        pair.initiator().awaitSend().assertSuccess(WorkCompletionOpcode.RDMA_READ).assertId(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    void shouldScatterReadOverElements(int count) {
        ConnectedPair pair = connect();
        Endpoint initiator = pair.initiator();
        int length = 2501;
        pair.target().fill(0, length, 8);
        int[] sizes = Sizes.uneven(length, count);
        SendWorkRequest request =
                initiator.remote(SendOpcode.RDMA_READ, 1, 0, 1, 0).elementCount(count);
        long position = 0;
        for (int i = 0; i < count; i++) {
            request.element(i).set(initiator.region(), 8192 - position - sizes[i], sizes[i]);
            position += sizes[i];
        }

        initiator.post(request);

        initiator.awaitSend().assertSuccess(WorkCompletionOpcode.RDMA_READ).assertLength(length);
        position = 0;
        for (int size : sizes) {
            Pattern.verify(initiator.memory(8192 - position - size, size), 8, position);
            position += size;
        }
    }

    @Test
    void shouldReadFromRegionThatOnlyAllowsReads() {
        ConnectedPair pair = connect();
        MemoryRegion readable =
                pair.target().createRegion(MemoryKind.USER, 256, AccessFlag.REMOTE_READ);
        Pattern.fill(readable.memory(), 4);

        pair.initiator()
                .post(
                        pair.initiator()
                                .request(SendOpcode.RDMA_READ, 1, 0, 256)
                                .remote(readable.address(), readable.rkey()));

        pair.initiator().awaitSend().assertSuccess(WorkCompletionOpcode.RDMA_READ);
        pair.initiator().verify(0, 256, 4);
    }

    @Test
    void shouldSeeWhatOwnerWroteBeforePost() {
        ConnectedPair pair = connect();

        for (int i = 0; i < 500; i++) {
            pair.target().fill(0, 256, i);
            pair.initiator().post(pair.initiator().remote(SendOpcode.RDMA_READ, i, 0, 256, 0));
            pair.initiator().awaitSend().assertSuccess(WorkCompletionOpcode.RDMA_READ);
            pair.initiator().verify(0, 256, i);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 16})
    void shouldRunManyReadsWithinLimit(int limit) {
        int count = 64;
        int size = 3000;
        ConnectedPair pair =
                closing(
                        pair().both(
                                        side ->
                                                side.settings(s -> s.withReadAtomic(limit, limit))
                                                        .requests(count, 1)
                                                        .completionDepth(2 * count)
                                                        .regionBytes((long) count * size))
                                .connect());
        pair.target().fill(0, (long) count * size, 2);

        for (int i = 0; i < count; i++) {
            long offset = (long) i * size;
            pair.initiator()
                    .post(pair.initiator().remote(SendOpcode.RDMA_READ, i, offset, size, offset));
        }

        for (int i = 0; i < count; i++) {
            pair.initiator().awaitSend().assertSuccess(WorkCompletionOpcode.RDMA_READ).assertId(i);
        }
        pair.initiator().verify(0, (long) count * size, 2);
    }
}
