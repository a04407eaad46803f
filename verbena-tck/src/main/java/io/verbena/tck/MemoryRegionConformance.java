// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WorkCompletionOpcode;
import io.verbena.verbs.WorkCompletionStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Registering memory: what is refused, the keys, their lifetime and their secrecy. */
public abstract class MemoryRegionConformance extends ConformanceTest {
    private static final int MANY = 10_000;
    private static final int BYTES = 256;

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void shouldRefuseToAllocateNothing(long length) {
        ProtectionDomain domain = domain();

        assertThatThrownBy(() -> domain.allocate(length, AccessFlag.LOCAL_WRITE))
                .isInstanceOfAny(IllegalArgumentException.class, VerbsException.class)
                .hasMessageContaining("length: " + length)
                .hasMessageContaining("expected");
    }

    @Test
    void shouldRefuseToAllocateMoreThanTheLimit() {
        ProtectionDomain domain = domain();
        long limit = domain.context().queryDevice().maxMemoryRegionBytes();

        assertThatThrownBy(() -> domain.allocate(Long.MAX_VALUE, AccessFlag.LOCAL_WRITE))
                .isInstanceOfAny(IllegalArgumentException.class, VerbsException.class);
        if (limit > 0 && limit < Long.MAX_VALUE) {
            assertThatThrownBy(() -> domain.allocate(limit + 1, AccessFlag.LOCAL_WRITE))
                    .isInstanceOfAny(IllegalArgumentException.class, VerbsException.class)
                    .hasMessageContaining(String.valueOf(limit));
        }
    }

    @Test
    void shouldRefuseAnEmptySegment() {
        ProtectionDomain domain = domain();
        MemorySegment memory = closing(Arena.ofShared()).allocate(64).asSlice(0, 0);

        assertThatThrownBy(() -> domain.register(memory, AccessFlag.LOCAL_WRITE))
                .isInstanceOfAny(IllegalArgumentException.class, VerbsException.class)
                .hasMessageContaining("expected");
    }

    @Test
    void shouldRefuseAHeapSegment() {
        ProtectionDomain domain = domain();
        MemorySegment memory = MemorySegment.ofArray(new byte[64]);

        assertThatThrownBy(() -> domain.register(memory, AccessFlag.LOCAL_WRITE))
                .isInstanceOfAny(IllegalArgumentException.class, VerbsException.class)
                .message()
                .containsPattern("(?i)heap|native");
    }

    @Test
    void shouldRefuseAReadOnlySegmentForWriting() {
        ProtectionDomain domain = domain();
        MemorySegment memory = closing(Arena.ofShared()).allocate(64).asReadOnly();

        assertThatThrownBy(() -> domain.register(memory, AccessFlag.LOCAL_WRITE))
                .isInstanceOfAny(IllegalArgumentException.class, VerbsException.class)
                .message()
                .containsPattern("(?i)read.?only");
    }

    @Test
    void shouldTakeAReadOnlySegmentForReading() {
        ConnectedPair pair = connect();
        Endpoint target = pair.target();
        MemorySegment memory = target.arena().allocate(BYTES, 64);
        Pattern.fill(memory, 5);
        MemoryRegion region = target.domain().register(memory.asReadOnly(), AccessFlag.REMOTE_READ);

        Endpoint reader = pair.initiator();
        reader.post(
                reader.request(SendOpcode.RDMA_READ, 1)
                        .remote(region.address(), region.rkey())
                        .element(reader.region(), 0, BYTES));

        reader.awaitSend().assertSuccess(WorkCompletionOpcode.RDMA_READ);
        Pattern.verify(reader.memory(0, BYTES), 5);
    }

    @ParameterizedTest
    @EnumSource(names = {"REMOTE_WRITE", "REMOTE_ATOMIC"})
    void shouldRefuseRemoteChangesWithoutLocalWrite(AccessFlag flag) {
        ProtectionDomain domain = domain();
        MemorySegment memory = closing(Arena.ofShared()).allocate(64, 64);

        assertInvalid(() -> domain.register(memory, flag));
        assertInvalid(() -> domain.allocate(64, flag));
        assertInvalid(() -> domain.register(memory, flag, AccessFlag.REMOTE_READ));
    }

    @Test
    void shouldRefuseMemoryThatIsNoMore() {
        ProtectionDomain domain = domain();
        Arena arena = Arena.ofShared();
        MemorySegment memory = arena.allocate(64);
        arena.close();

        assertThatThrownBy(() -> domain.register(memory, AccessFlag.LOCAL_WRITE))
                .isInstanceOfAny(
                        IllegalStateException.class,
                        IllegalArgumentException.class,
                        VerbsException.class);
    }

    @ParameterizedTest
    @EnumSource
    void shouldDescribeItself(MemoryKind kind) {
        ProtectionDomain domain = domain();
        MemoryRegion region =
                kind.create(
                        domain,
                        closing(Arena.ofShared()),
                        5000,
                        AccessFlag.LOCAL_WRITE,
                        AccessFlag.REMOTE_READ);

        assertThat(region.length()).isEqualTo(5000);
        assertThat(region.memory().byteSize()).isEqualTo(5000);
        assertThat(region.address()).isEqualTo(region.memory().address());
        assertThat(region.access())
                .containsExactlyInAnyOrder(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ);
        assertThat(region.rkey()).isNotZero();
        region.close();
    }

    @ParameterizedTest
    @EnumSource
    void shouldHaveNoRemoteKeyWithoutRemoteAccess(MemoryKind kind) {
        ProtectionDomain domain = domain();
        MemoryRegion region =
                kind.create(domain, closing(Arena.ofShared()), 64, AccessFlag.LOCAL_WRITE);

        assertThat(region.rkey()).isZero();
        region.close();
    }

    @Test
    void shouldGiveLocalAndRemoteKeysThatDiffer() {
        ProtectionDomain domain = domain();
        Assumptions.assumeFalse(
                domain.context().device().isHardware(), "adapters use one key for both");

        MemoryRegion region = domain.allocate(64, AccessFlag.values());

        assertThat(region.lkey()).isNotEqualTo(region.rkey());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 4095, 4096, 4097, 1 << 20})
    void shouldAllocateAlignedZeros(long length) {
        MemoryRegion region = domain().allocate(length, AccessFlag.LOCAL_WRITE);

        assertThat(region.address() % 4096).isZero();
        assertThat(region.length()).isEqualTo(length);
        for (long i = 0; i < length; i++) {
            if (region.memory().get(ValueLayout.JAVA_BYTE, i) != 0) {
                throw new AssertionError("byte " + i + " is not zero");
            }
        }
    }

    @Test
    void shouldAllocateZerosInMemoryThatWasUsedBefore() {
        ProtectionDomain domain = domain();
        for (int i = 0; i < 50; i++) {
            MemoryRegion region = domain.allocate(8192, AccessFlag.LOCAL_WRITE);
            assertThat(region.memory().mismatch(MemorySegment.ofArray(new byte[8192])))
                    .as("first byte that is not zero")
                    .isEqualTo(-1);
            region.memory().fill((byte) 0x77);
            region.close();
        }
    }

    @Test
    void shouldAllowRegionsToOverlap() {
        ConnectedPair pair = connect();
        Endpoint target = pair.target();
        MemorySegment memory = target.arena().allocate(2 * BYTES, 64);
        MemoryRegion whole = register(target, memory);
        MemoryRegion half = register(target, memory.asSlice(BYTES));
        assertThat(whole.rkey()).isNotEqualTo(half.rkey());

        Pattern.fill(pair.initiator().memory(0, BYTES), 6);
        assertThat(write(pair, whole.address() + BYTES, whole.rkey()))
                .isEqualTo(WorkCompletionStatus.SUCCESS);
        Pattern.verify(half.memory(), 6);
        whole.close();
        Pattern.fill(pair.initiator().memory(0, BYTES), 7);

        assertThat(write(pair, half.address(), half.rkey()))
                .isEqualTo(WorkCompletionStatus.SUCCESS);
        Pattern.verify(memory.asSlice(BYTES), 7);
    }

    @Test
    void shouldRefuseTheKeyOfAClosedRegion() {
        ConnectedPair pair = connect();
        MemoryRegion region = pair.target().domain().allocate(BYTES, AccessFlag.values());
        long address = region.address();
        int rkey = region.rkey();
        region.close();

        assertThat(write(pair, address, rkey)).isEqualTo(WorkCompletionStatus.REMOTE_ACCESS);
    }

    @Test
    void shouldRefuseTheOldKeyOfMemoryRegisteredAgain() {
        ConnectedPair pair = connect();
        MemorySegment memory = pair.target().arena().allocate(BYTES, 64);
        MemoryRegion first = register(pair.target(), memory);
        int stale = first.rkey();
        first.close();
        MemoryRegion second = register(pair.target(), memory);
        assertThat(second.rkey()).isNotEqualTo(stale);

        assertThat(write(pair, second.address(), stale))
                .isEqualTo(WorkCompletionStatus.REMOTE_ACCESS);
        assertThat(memory.mismatch(MemorySegment.ofArray(new byte[BYTES]))).isEqualTo(-1);
    }

    @Test
    void shouldRefuseForgedKeys() {
        Random random = new Random(23);
        for (int i = 0; i < 20; i++) {
            try (ConnectedPair pair = pair().connect()) {
                MemoryRegion region = pair.target().region();
                int forged = random.nextInt();
                Assumptions.assumeTrue(forged != region.rkey(), "the one lucky guess");

                assertThat(write(pair, region.address(), forged))
                        .isEqualTo(WorkCompletionStatus.REMOTE_ACCESS);
            }
        }
    }

    @Test
    void shouldRefuseKeysCloseToAValidOne() {
        for (int bit = 0; bit < Integer.SIZE; bit += 3) {
            try (ConnectedPair pair = pair().connect()) {
                MemoryRegion region = pair.target().region();

                assertThat(write(pair, region.address(), region.rkey() ^ (1 << bit)))
                        .as("bit %d flipped", bit)
                        .isEqualTo(WorkCompletionStatus.REMOTE_ACCESS);
            }
        }
    }

    @Test
    void shouldHardlyEverGiveAKeyAgain() {
        ProtectionDomain domain = domain();
        Assumptions.assumeFalse(domain.context().device().isHardware(), "adapters reuse keys soon");
        MemorySegment memory = closing(Arena.ofShared()).allocate(BYTES, 64);

        Set<Integer> keys = new HashSet<>();
        for (int i = 0; i < MANY; i++) {
            try (MemoryRegion region =
                    domain.register(memory, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE)) {
                keys.add(region.rkey());
            }
        }

        // Among random keys two of ten thousand are equal once in a hundred runs.
        assertThat(keys).hasSizeGreaterThanOrEqualTo(MANY - 3);
    }

    @Test
    void shouldGiveKeysThatNobodyCanGuess() {
        ProtectionDomain domain = domain();
        DeviceContext context = domain.context();
        Assumptions.assumeFalse(context.device().isHardware(), "adapters count their keys");
        Assumptions.assumeTrue(
                context.queryDevice().maxMemoryRegions() >= MANY, "too few memory regions");
        MemorySegment memory = closing(Arena.ofShared()).allocate(BYTES, 64);
        List<Integer> keys = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            keys.add(
                    domain.register(memory, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE)
                            .rkey());
        }

        assertThat(new HashSet<>(keys)).as("keys in use at once").hasSize(MANY);
        KeyStatistics.assertSpread(keys);
    }

    @Test
    void shouldRegisterAndCloseWithoutEnd() {
        ProtectionDomain domain = domain();
        MemorySegment memory = closing(Arena.ofShared()).allocate(1 << 16, 4096);
        int tenth = repetitions(MANY / 10);
        register(domain, memory, tenth);
        ProcessUse before = ProcessUse.now();

        long first = register(domain, memory, tenth);
        register(domain, memory, 8 * tenth);
        long last = register(domain, memory, tenth);

        // Allows for a busy machine; a linear search or a leak would exceed it by far.
        assertThat(last).isLessThan(20 * first + 500_000_000L);
        ProcessUse.assertReturnsTo(before, fixture().patience());
    }

    @Test
    void shouldAllocateAndCloseWithoutEnd() {
        ProtectionDomain domain = domain();
        allocate(domain, 200);
        ProcessUse before = ProcessUse.now();

        allocate(domain, repetitions(2000));

        ProcessUse.assertReturnsTo(before, fixture().patience());
    }

    private static long register(ProtectionDomain domain, MemorySegment memory, int times) {
        long start = System.nanoTime();
        for (int i = 0; i < times; i++) {
            domain.register(memory, AccessFlag.values()).close();
        }
        return System.nanoTime() - start;
    }

    private static void allocate(ProtectionDomain domain, int times) {
        for (int i = 0; i < times; i++) {
            MemoryRegion region = domain.allocate(1 << 16, AccessFlag.values());
            region.memory().set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
            region.close();
        }
    }

    private ProtectionDomain domain() {
        return closing(fixture().openInitiator()).allocateProtectionDomain();
    }

    private static MemoryRegion register(Endpoint owner, MemorySegment memory) {
        return owner.domain().register(memory, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
    }

    private static WorkCompletionStatus write(ConnectedPair pair, long address, int rkey) {
        Endpoint writer = pair.initiator();
        writer.post(
                writer.request(SendOpcode.RDMA_WRITE, 1)
                        .remote(address, rkey)
                        .element(writer.region(), 0, BYTES));
        return writer.awaitSend().status();
    }
}
