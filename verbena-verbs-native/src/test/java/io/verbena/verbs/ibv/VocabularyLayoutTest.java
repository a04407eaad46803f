// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.ReceiveWorkRequest;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.WorkCompletionOpcode;
import io.verbena.verbs.WorkCompletionStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Requests and completions of the verbs API have the same memory layout as the C structures. */
class VocabularyLayoutTest {
    private static final long ID = 0x1122_3344_5566_7788L;
    private static final long ADDRESS = 0x0102_0304_0506_0708L;
    private static final int KEY = 0x1a2b_3c4d;

    private final Arena arena = Arena.ofShared();

    @AfterEach
    void free() {
        arena.close();
    }

    @Test
    void shouldLayOutAWrite() {
        SendWorkRequest next = SendWorkRequest.allocate(arena, 0);
        SendWorkRequest request =
                SendWorkRequest.allocate(arena, 2)
                        .id(ID)
                        .opcode(SendOpcode.RDMA_WRITE_WITH_IMMEDIATE)
                        .flags(SendWorkRequest.SOLICITED)
                        .immediate(0x0102_0304)
                        .remote(ADDRESS, KEY)
                        .elementCount(2)
                        .next(next);
        MemorySegment memory = request.memory();

        assertThat(VocabularyLayout.SEND_ID.get(memory)).isEqualTo(ID);
        assertThat(VocabularyLayout.SEND_NEXT.get(memory)).isEqualTo(next.memory().address());
        assertThat(VocabularyLayout.SEND_COUNT.get(memory)).isEqualTo(2);
        assertThat(VocabularyLayout.SEND_OPCODE.get(memory)).isEqualTo(1);
        assertThat(VocabularyLayout.SEND_FLAGS.get(memory)).isEqualTo(4);
        assertThat(VocabularyLayout.SEND_IMMEDIATE.getInt(memory)).isEqualTo(0x0403_0201);
        assertThat(VocabularyLayout.RDMA_ADDRESS.get(memory)).isEqualTo(ADDRESS);
        assertThat(VocabularyLayout.RDMA_KEY.getInt(memory)).isEqualTo(KEY);
    }

    @Test
    void shouldLayOutAnAtomic() {
        MemorySegment memory =
                SendWorkRequest.allocate(arena, 1).compareAndSwap(ADDRESS, KEY, 5, 6).memory();

        assertThat(VocabularyLayout.ATOMIC_ADDRESS.get(memory)).isEqualTo(ADDRESS);
        assertThat(VocabularyLayout.ATOMIC_KEY.getInt(memory)).isEqualTo(KEY);
        assertThat(VocabularyLayout.ATOMIC_COMPARE_ADD.get(memory)).isEqualTo(5);
        assertThat(VocabularyLayout.ATOMIC_SWAP.get(memory)).isEqualTo(6);
        assertThat(VocabularyLayout.SEND_OPCODE.get(memory)).isEqualTo(5);
    }

    @Test
    void shouldLayOutElements() {
        SendWorkRequest request = SendWorkRequest.allocate(arena, 2);
        request.element(1).set(ADDRESS, 77, KEY);
        long where = VocabularyLayout.SEND_ELEMENTS.get(request.memory());

        MemorySegment second = VocabularyLayout.SGE.at(where + VocabularyLayout.SGE.size());

        assertThat(VocabularyLayout.SGE_ADDRESS.get(second)).isEqualTo(ADDRESS);
        assertThat(VocabularyLayout.SGE_LENGTH.get(second)).isEqualTo(77);
        assertThat(VocabularyLayout.SGE_KEY.getInt(second)).isEqualTo(KEY);
    }

    @Test
    void shouldLayOutAReceive() {
        ReceiveWorkRequest next = ReceiveWorkRequest.allocate(arena, 0);
        ReceiveWorkRequest request =
                ReceiveWorkRequest.allocate(arena, 1).id(ID).elementCount(1).next(next);
        request.element(0).set(ADDRESS, 78, KEY);
        MemorySegment memory = request.memory();

        assertThat(VocabularyLayout.RECV_ID.get(memory)).isEqualTo(ID);
        assertThat(VocabularyLayout.RECV_NEXT.get(memory)).isEqualTo(next.memory().address());
        assertThat(VocabularyLayout.RECV_COUNT.get(memory)).isEqualTo(1);
        MemorySegment element = VocabularyLayout.SGE.at(VocabularyLayout.RECV_ELEMENTS.get(memory));
        assertThat(VocabularyLayout.SGE_LENGTH.get(element)).isEqualTo(78);
    }

    @Test
    void shouldReadCompletions() {
        WorkCompletion cursor = WorkCompletion.allocate(arena, 2);
        MemorySegment second =
                cursor.memory().asSlice(VocabularyLayout.WC.size(), VocabularyLayout.WC.size());
        VocabularyLayout.WC_ID.set(second, ID);
        VocabularyLayout.WC_STATUS.set(second, 12);
        VocabularyLayout.WC_OPCODE.set(second, 129);
        VocabularyLayout.WC_VENDOR_ERROR.set(second, 3);
        VocabularyLayout.WC_LENGTH.set(second, 4);
        VocabularyLayout.WC_IMMEDIATE.set(second, 0x0403_0201);
        VocabularyLayout.WC_NUMBER.set(second, 6);
        VocabularyLayout.WC_FLAGS.set(second, 3);

        cursor.at(1);

        assertThat(cursor.id()).isEqualTo(ID);
        assertThat(cursor.status()).isEqualTo(WorkCompletionStatus.RETRY_EXCEEDED);
        assertThat(cursor.opcode()).isEqualTo(WorkCompletionOpcode.RECEIVE_RDMA_WITH_IMMEDIATE);
        assertThat(cursor.vendorError()).isEqualTo(3);
        assertThat(cursor.length()).isEqualTo(4);
        assertThat(cursor.immediate()).isEqualTo(0x0102_0304);
        assertThat(cursor.queuePairNumber()).isEqualTo(6);
        assertThat(cursor.flags()).isEqualTo(3);
    }
}
