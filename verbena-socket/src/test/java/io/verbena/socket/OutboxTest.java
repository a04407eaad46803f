// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.BlockPool;
import io.verbena.memory.BlockPoolOptions;
import io.verbena.memory.BlockType;
import io.verbena.memory.BlockUse;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The ring that messages are sent from. */
class OutboxTest {
    private static final int CAPACITY = BlockType.DEFAULT.bytes();

    private BlockPool pool;
    private Outbox outbox;
    private long start;

    @BeforeEach
    void open() {
        pool = BlockPool.unregistered(BlockPoolOptions.DEFAULT);
        outbox = new Outbox(pool.allocate(BlockType.DEFAULT, BlockUse.SEND));
        outbox.nextFrame(CAPACITY);
        start = outbox.frameAddress();
    }

    @AfterEach
    void close() {
        outbox.release();
        assertThat(pool.outstanding()).isEmpty();
        pool.close();
    }

    @Test
    void shouldGatherWholeRecordsOnly() {
        for (int i = 0; i < 10; i++) {
            outbox.tryPut(ByteBuffer.allocate(60), 0);
        }

        assertThat(outbox.nextFrame(200)).isEqualTo(2 * 72);
        outbox.frameTaken();
        assertThat(outbox.nextFrame(CAPACITY)).isEqualTo(8 * 72);
    }

    @Test
    void shouldEndFrameBeforeMessageThatIsRead() {
        outbox.tryPut(ByteBuffer.allocate(8), 0);
        outbox.tryPut(Payload.EMPTY, MetaData.MORE);
        outbox.tryPut(ByteBuffer.allocate(8), 0);

        assertThat(outbox.nextFrame(CAPACITY)).isEqualTo(16);
        outbox.frameTaken();
        assertThat(outbox.nextFrame(CAPACITY)).isEqualTo(Outbox.BY_READ);
        assertThat(outbox.payloadFlag()).isEqualTo(MetaData.MORE);
        assertThat(outbox.takePayload()).isSameAs(Payload.EMPTY);
        assertThat(outbox.nextFrame(CAPACITY)).isEqualTo(16);
    }

    @Test
    void shouldRefuseWhatDoesNotFitUntilSpaceIsFreed() {
        int put = 0;
        while (outbox.tryPut(ByteBuffer.allocate(1000), 0)) {
            put++;
        }
        assertThat(put).isEqualTo(8);

        outbox.nextFrame(1008);
        outbox.frameTaken();
        assertThat(outbox.hasRoomFor(1008)).isFalse();
        outbox.free(outbox.sent());
        outbox.nextFrame(1008);
        outbox.frameTaken();
        outbox.free(outbox.sent());
        assertThat(outbox.tryPut(ByteBuffer.allocate(1000), 0)).isTrue();
    }

    /** 24 divides no power of two, 64 does: with it records end where the ring does. */
    @ParameterizedTest
    @ValueSource(ints = {16, 56, 64, 1016, 4088, 0})
    void shouldNeverLetFrameCrossTheEndOfTheRing(int size) {
        Random random = new Random(size);
        int taken = 0;
        int put = 0;
        while (taken < 2000) {
            while (outbox.tryPut(numbered(put, size == 0 ? 4 + random.nextInt(900) : size), 0)) {
                put++;
            }
            int length = outbox.nextFrame(4096);
            assertThat(length).isPositive();
            long offset = outbox.frameAddress() - start;
            assertThat(offset + length).isLessThanOrEqualTo(CAPACITY);
            taken = checkRecords(outbox.frame(length), taken);
            outbox.frameTaken();
            outbox.free(outbox.sent());
        }
    }

    private static int checkRecords(MemorySegment frame, int first) {
        int number = first;
        for (long at = 0; at < frame.byteSize(); number++) {
            int length = frame.get(ValueLayout.JAVA_INT, at);
            // written big-endian by the test
            int found = Integer.reverseBytes(frame.get(ValueLayout.JAVA_INT, at + Outbox.HEADER));
            assertThat(found).isEqualTo(number);
            at += Outbox.HEADER + length + 7 & -8;
        }
        return number;
    }

    private static ByteBuffer numbered(int number, int size) {
        return ByteBuffer.allocate(size).putInt(0, number);
    }
}
