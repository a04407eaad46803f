// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.MemoryRegion;
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
import org.junit.jupiter.params.provider.ValueSource;

/** What a reliable connection promises about order. */
public abstract class OrderingConformance extends ConformanceTest {
    private static final int FENCED = SendWorkRequest.SIGNALED | SendWorkRequest.FENCE;
    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();
    private static final int WINDOW = 16;

    @Test
    void shouldCompleteMixedOperationsInPostOrder() {
        ConnectedPair pair = connect();
        assumeAtomics(pair);
        Endpoint initiator = pair.initiator();
        MemoryRegion remote = pair.target().region();
        for (int round = 0; round < 200; round++) {
            pair.target().postReceive(1, 0, 64);
            pair.target().postReceive(2, 0, 64);

            initiator.post(initiator.remote(SendOpcode.RDMA_READ, 0, 0, 4000, 4096));
            initiator.postSend(1, 0, 64);
            initiator.post(initiator.remote(SendOpcode.RDMA_WRITE, 2, 0, 2000, 0));
            initiator.post(
                    initiator
                            .request(SendOpcode.FETCH_AND_ADD, 3, 4096, 8)
                            .fetchAndAdd(remote.address(), remote.rkey(), 1));
            initiator.post(initiator.remote(SendOpcode.RDMA_READ, 4, 0, 1, 0));
            initiator.post(initiator.remote(SendOpcode.RDMA_WRITE_WITH_IMMEDIATE, 5, 0, 8, 0));
            initiator.post(
                    initiator
                            .request(SendOpcode.COMPARE_AND_SWAP, 6, 4104, 8)
                            .compareAndSwap(remote.address(), remote.rkey(), 0, 0));

            for (int id = 0; id < 7; id++) {
                initiator.awaitSend().assertId(id).assertStatus(WorkCompletionStatus.SUCCESS);
            }
            pair.target().awaitReceive().assertId(1);
            pair.target().awaitReceive().assertId(2);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldShowWriteOnceLaterSendIsReceived(MemoryPlacement placement) {
        ConnectedPair.Builder builder = pair();
        placement.applyTo(builder, 8192);
        ConnectedPair pair = closing(builder.connect());
        Endpoint initiator = pair.initiator();

        for (int i = 0; i < 1000; i++) {
            int size = 1 + i * 37 % 6000;
            initiator.fill(0, size, i);
            pair.target().postReceive(i, 0, 0);
            initiator.post(initiator.remote(SendOpcode.RDMA_WRITE, i, 0, size, 64));
            initiator.postSend(i, 0, 0);

            pair.target().awaitReceive().assertId(i).assertSuccess(WorkCompletionOpcode.RECEIVE);
            pair.target().verify(64, size, i);
            initiator.awaitSend().assertSuccess(WorkCompletionOpcode.RDMA_WRITE);
            initiator.awaitSend().assertSuccess(WorkCompletionOpcode.SEND);
        }
    }

    @Test
    void shouldShowWriteOnceItsImmediateIsReceived() {
        ConnectedPair pair = connect();
        Endpoint initiator = pair.initiator();

        for (int i = 0; i < 1000; i++) {
            int size = 1 + i * 37 % 6000;
            initiator.fill(0, size, i);
            pair.target().postReceive(i, 0, 0);
            initiator.post(
                    initiator
                            .remote(SendOpcode.RDMA_WRITE_WITH_IMMEDIATE, i, 0, size, 64)
                            .immediate(i));

            pair.target().awaitReceive().assertImmediate(i).assertLength(size);
            pair.target().verify(64, size, i);
            initiator.awaitSend().assertSuccess(WorkCompletionOpcode.RDMA_WRITE);
        }
    }

    @Test
    void shouldReadWhatEarlierWriteWrote() {
        ConnectedPair pair = connect();
        Endpoint initiator = pair.initiator();

        for (int i = 0; i < 500; i++) {
            int size = 1 + i * 31 % 2000;
            initiator.fill(0, size, i);
            initiator.post(initiator.remote(SendOpcode.RDMA_WRITE, 1, 0, size, 64));
            initiator.post(initiator.remote(SendOpcode.RDMA_READ, 2, 4096, size, 64));

            initiator.awaitSend().assertSuccess(WorkCompletionOpcode.RDMA_WRITE);
            initiator.awaitSend().assertSuccess(WorkCompletionOpcode.RDMA_READ);
            initiator.verify(4096, size, i);
        }
    }

    @Test
    void shouldReadResultOfEarlierAtomic() {
        ConnectedPair pair = connect();
        assumeAtomics(pair);
        Endpoint initiator = pair.initiator();
        MemoryRegion remote = pair.target().region();

        for (int i = 1; i <= 500; i++) {
            initiator.post(
                    initiator
                            .request(SendOpcode.FETCH_AND_ADD, 1, 0, 8)
                            .fetchAndAdd(remote.address(), remote.rkey(), 1));
            initiator.post(initiator.remote(SendOpcode.RDMA_READ, 2, 64, 8, 0));

            initiator.awaitSend().assertId(1);
            initiator.awaitSend().assertId(2);
            assertThat(initiator.memory(64, 8).get(ValueLayout.JAVA_LONG, 0)).isEqualTo(i);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 64, 1500, 4000})
    void shouldSendWhatFencedReadBrought(int size) {
        ConnectedPair pair = connect();
        Endpoint initiator = pair.initiator();

        for (int i = 0; i < 100; i++) {
            pair.target().fill(0, size, i);
            initiator.post(initiator.remote(SendOpcode.RDMA_READ, 1, 0, size, 0));
            initiator.post(initiator.remote(SendOpcode.RDMA_WRITE, 2, 0, size, 4096).flags(FENCED));

            initiator.awaitSend().assertId(1).assertSuccess(WorkCompletionOpcode.RDMA_READ);
            initiator.awaitSend().assertId(2).assertSuccess(WorkCompletionOpcode.RDMA_WRITE);
            pair.target().verify(4096, size, i);
        }
    }

    @Test
    void shouldNotLetFencedWriteOvertakeRead() {
        ConnectedPair pair = connect();
        Endpoint initiator = pair.initiator();

        for (int i = 0; i < 200; i++) {
            pair.target().fill(0, 4000, i);
            initiator.fill(4096, 4000, ~i);
            initiator.post(initiator.remote(SendOpcode.RDMA_READ, 1, 0, 4000, 0));
            initiator.post(initiator.remote(SendOpcode.RDMA_WRITE, 2, 4096, 4000, 0).flags(FENCED));

            initiator.awaitSend().assertId(1);
            initiator.awaitSend().assertId(2);
            initiator.verify(0, 4000, i);
            pair.target().verify(0, 4000, ~i);
        }
    }

    /** One byte each, because a longer write may be seen half done. */
    @Test
    void shouldWriteInPostOrder() {
        ConnectedPair pair = connect();
        Endpoint initiator = pair.initiator();
        MemorySegment target = pair.target().memory(0, 1);
        int rounds = 5000;

        int posted = 0;
        for (int done = 0; done < rounds; done++) {
            for (; posted < rounds && posted - done < WINDOW; posted++) {
                long offset = posted % WINDOW;
                initiator.memory(offset, 1).set(ValueLayout.JAVA_BYTE, 0, (byte) (posted + 1));
                initiator.post(initiator.remote(SendOpcode.RDMA_WRITE, posted, offset, 1, 0));
            }
            int ahead = ((byte) BYTE.getAcquire(target, 0L) - done) & 0xff;
            assertThat(ahead).as("writes done beyond " + done).isBetween(0, WINDOW);
            initiator.awaitSend().assertId(done).assertSuccess(WorkCompletionOpcode.RDMA_WRITE);
        }

        assertThat((byte) BYTE.getAcquire(target, 0L)).isEqualTo((byte) rounds);
    }

    @Test
    void shouldReceiveInOrderWhateverTheSizes() {
        ConnectedPair pair =
                closing(
                        pair().both(
                                        side ->
                                                side.regionBytes(16L << 17)
                                                        .settings(s -> s.withRetries(3, 7, 1)))
                                .connect());
        int[] sizes = {70_000, 1, 0, 5000, 64, 100_000, 8, 1024};

        for (int round = 0; round < 50; round++) {
            for (int i = 0; i < sizes.length; i++) {
                pair.target().postReceive(i, (long) i << 17, 1 << 17);
                pair.initiator().fill((long) i << 17, sizes[i], round + i);
                pair.initiator().postSend(i, (long) i << 17, sizes[i]);
            }
            for (int i = 0; i < sizes.length; i++) {
                pair.target().awaitReceive().assertId(i).assertLength(sizes[i]);
                pair.target().verify((long) i << 17, sizes[i], round + i);
                pair.initiator().awaitSend().assertId(i);
            }
        }
    }
}
