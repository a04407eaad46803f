// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.testing.Thrown;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The user's memory in buffers. */
class UserDataTest {
    @RegisterExtension final Pools pools = new Pools();

    private final BlockPool pool = pools.registered(Pools.SMALL);
    private final Arena arena = Arena.ofShared();
    private final AtomicInteger released = new AtomicInteger();

    @AfterEach
    void closeArena() {
        pool.close();
        arena.close();
    }

    private MemorySegment memory(int bytes) {
        MemorySegment memory = arena.allocate(bytes);
        return memory.copyFrom(MemorySegment.ofArray(Pattern.bytes(bytes, bytes)));
    }

    @Test
    void shouldCallBackOnceWhenTheLastReferenceIsGone() {
        try (IOBuf one = pool.buffer();
                IOBuf two = pool.buffer()) {
            one.appendUserData(memory(100), BlockPool.NOT_REGISTERED, released::incrementAndGet);
            one.cutInto(two, 50);
            two.append(one);
            one.clear();
            assertThat(two.toByteArray()).isEqualTo(Pattern.bytes(100, 100));
            assertThat(released).hasValue(0);

            two.clear();

            assertThat(released).hasValue(1);
        }
    }

    @Test
    void shouldCallBackAtOnceForNoBytes() {
        try (IOBuf buffer = pool.buffer()) {
            buffer.appendUserData(
                    memory(1).asSlice(0, 0), BlockPool.NOT_REGISTERED, released::incrementAndGet);

            assertThat(released).hasValue(1);
            assertThat(buffer.pieces()).isZero();
        }
    }

    @Test
    void shouldFindTheKeyOfRegisteredMemoryByAddress() {
        MemorySegment memory = memory(10_000);
        try (UserMemory registered = pool.register(memory);
                IOBuf buffer = pool.buffer()) {
            buffer.appendUserData(
                    memory.asSlice(123, 456), BlockPool.NOT_REGISTERED, released::incrementAndGet);

            assertThat(pool.lkey(buffer, 0)).isEqualTo(registered.lkey());
            assertThat(buffer.pieceAddress(0)).isEqualTo(memory.address() + 123);
            assertThat(pool.lkey(memory.address(), 10_000)).isEqualTo(registered.lkey());
            assertThat(pool.lkey(memory.address(), 10_001)).isEqualTo(BlockPool.NOT_REGISTERED);
        }
        assertThat(pool.lkey(memory.address(), 1)).isEqualTo(BlockPool.NOT_REGISTERED);
    }

    @Test
    void shouldCarryTheKeyThatCameWithTheMemory() {
        try (IOBuf buffer = pool.buffer()) {
            buffer.appendUserData(memory(10), 0xfedc_ba98L, released::incrementAndGet);
            buffer.appendUserData(memory(10), BlockPool.NOT_REGISTERED, released::incrementAndGet);

            assertThat(pool.lkey(buffer, 0)).isEqualTo(0xfedc_ba98L);
            assertThat(pool.lkey(buffer, 1)).isEqualTo(BlockPool.NOT_REGISTERED);
        }
        assertThat(released).hasValue(2);
    }

    @Test
    void shouldNotDeregisterWhatABufferRefersTo() {
        UserMemory registered = pool.register(memory(100));
        try (IOBuf buffer = pool.buffer()) {
            buffer.appendUserData(registered, 10, 20, released::incrementAndGet);

            assertThatThrownBy(registered::close)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("release callbacks");
            assertThat(pool.lkey(buffer, 0)).isEqualTo(registered.lkey());
            assertThat(pool.statistics().userRegistrations()).isEqualTo(1);
        }
        assertThat(released).hasValue(1);
        registered.close();
        registered.close();
        assertThat(pool.statistics().userRegistrations()).isZero();
        IOBuf late = pool.buffer();
        assertThatThrownBy(() -> late.appendUserData(registered, 0, 1, () -> {}))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void shouldRegisterReadOnlyMemory() {
        try (UserMemory registered = pool.register(memory(100).asReadOnly())) {
            assertThat(registered.lkey()).isPositive();
        }
    }

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldReleaseTheOthersWhenACallbackThrows(Thrown thrown) {
        IOBuf buffer = pool.buffer();
        buffer.append("block");
        buffer.appendUserData(memory(10), BlockPool.NOT_REGISTERED, thrown::raise);
        buffer.appendUserData(memory(10), BlockPool.NOT_REGISTERED, thrown::raise);
        buffer.appendUserData(memory(10), BlockPool.NOT_REGISTERED, released::incrementAndGet);

        buffer.close();

        assertThat(released).hasValue(1);
        assertThat(buffer.isEmpty()).isTrue();
    }

    @Test
    void shouldReleaseTheOthersWhenAPieceCannotBeReleased() {
        IOBuf buffer = pool.buffer();
        Block block = pool.allocate(pool.options().recvBlockType(), BlockUse.SEND);
        buffer.append(block, 0, 10);
        block.release();
        buffer.appendUserData(memory(10), BlockPool.NOT_REGISTERED, released::incrementAndGet);

        assertThatThrownBy(buffer::close)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("released twice");

        assertThat(released).hasValue(1);
        assertThat(buffer.isEmpty()).isTrue();
    }

    @Test
    void shouldRefuseWhatADeviceCannotReach() {
        IOBuf buffer = pool.buffer();
        MemorySegment heap = MemorySegment.ofArray(new byte[10]);
        MemorySegment memory = memory(10);

        assertThatThrownBy(() -> buffer.appendUserData(heap, 1, () -> {}))
                .hasMessageContaining("on the heap");
        assertThatThrownBy(() -> buffer.appendUserData(memory, 1L << 32, () -> {}))
                .hasMessageContaining("lkey");
        assertThatThrownBy(() -> buffer.appendUserData(memory, -3, () -> {}))
                .hasMessageContaining("lkey");
        assertThatThrownBy(() -> pools.unregistered(Pools.SMALL).register(memory))
                .hasMessageContaining("no device");
    }

    @Test
    void shouldDivideMemoryThatIsTooLongForOnePiece() {
        PieceChain chain = pool.buffer().chain();
        // the bytes are never touched: a single one stands for all of them
        UserData data = new UserData(memory(1), 7, released::incrementAndGet);
        chain.add(data, 0, Pieces.MAX_LENGTH);
        data.addReferences(1);
        chain.add(data, Pieces.MAX_LENGTH, 5);

        assertThat(chain.pieces().count()).isEqualTo(2);
        assertThat(chain.size()).isEqualTo(Pieces.MAX_LENGTH + 5L);
        chain.popFront(chain.size());
        assertThat(released).hasValue(1);
    }
}
