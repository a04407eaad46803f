// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.testing.AllocatedBytes;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class IOBufTest {
    @RegisterExtension final Pools pools = new Pools();

    private final BlockPool pool = pools.registered(Pools.SMALL);

    @Test
    void shouldAppendBytesOfEveryKind() {
        try (IOBuf buffer = pool.buffer()) {
            ByteBuffer rest = ByteBuffer.wrap("__direct".getBytes(StandardCharsets.UTF_8));
            rest.position(2);

            buffer.append(new byte[] {'a', 'b'})
                    .append("-cde-".getBytes(StandardCharsets.UTF_8), 1, 3)
                    .append(MemorySegment.ofArray(new byte[] {'f'}))
                    .append(rest)
                    .append("grün");

            assertThat(buffer.toText()).isEqualTo("abcdefdirectgrün");
            assertThat(rest.remaining()).isZero();
            assertThat(buffer.pieces()).isEqualTo(1);
        }
    }

    @Test
    void shouldGoOnInTheNextBlock() {
        byte[] data = Pattern.bytes(20_000, 1);

        try (IOBuf buffer = pool.buffer()) {
            buffer.append(data);

            assertThat(buffer.size()).isEqualTo(20_000);
            assertThat(buffer.pieces()).isEqualTo(3);
            assertThat(buffer.pieceLength(2)).isEqualTo(20_000 - 2 * 8192);
            assertThat(buffer.toByteArray()).isEqualTo(data);
        }
    }

    @Test
    void shouldCutWithoutCopying() {
        try (IOBuf whole = pool.buffer();
                IOBuf head = pool.buffer()) {
            whole.append(Pattern.bytes(10_000, 2));
            long first = whole.pieceAddress(0);

            assertThat(whole.cutInto(head, 9_000)).isEqualTo(9_000);

            assertThat(head.pieceAddress(0)).isEqualTo(first);
            assertThat(head.size()).isEqualTo(9_000);
            assertThat(whole.size()).isEqualTo(1_000);
            assertThat(whole.pieceAddress(0)).isEqualTo(head.pieceAddress(1) + 808);
            assertThat(whole.cutInto(head, 5_000)).isEqualTo(1_000);
            assertThat(head.toByteArray()).isEqualTo(Pattern.bytes(10_000, 2));
            assertThat(head.pieces()).isEqualTo(2);
        }
    }

    @Test
    void shouldShareWithoutCopying() {
        try (IOBuf one = pool.buffer();
                IOBuf two = pool.buffer()) {
            one.append("shared");

            two.append("is ").append(one).append(one);

            assertThat(two.toText()).isEqualTo("is sharedshared");
            assertThat(two.pieceAddress(1)).isEqualTo(one.pieceAddress(0));
            one.clear();
            assertThat(two.toText()).isEqualTo("is sharedshared");
        }
    }

    @Test
    void shouldShareItself() {
        try (IOBuf buffer = pool.buffer();
                IOBuf tail = pool.buffer()) {
            buffer.append("abcd");
            buffer.cutInto(tail, 2);
            buffer.append(tail);
            assertThat(buffer.toText()).isEqualTo("cdab");

            buffer.append(buffer);

            assertThat(buffer.toText()).isEqualTo("cdabcdab");
        }
    }

    @Test
    void shouldNotWriteOverWhatWasShared() {
        try (IOBuf one = pool.buffer();
                IOBuf two = pool.buffer()) {
            one.append("common");
            two.append(one);

            one.append(" one");
            two.append(" two");
            one.popBack(2);
            one.append("ther");

            assertThat(one.toText()).isEqualTo("common other");
            assertThat(two.toText()).isEqualTo("common two");
        }
    }

    @Test
    void shouldNotWriteToABlockItNoLongerHolds() {
        try (IOBuf buffer = pool.buffer();
                IOBuf other = pool.buffer()) {
            buffer.append("first");
            other.append("second");
            buffer.append(other);
            buffer.popFront(5);
            Block reused = pool.allocate(BlockType.DEFAULT, BlockUse.SEND);
            reused.memory().fill((byte) '#');

            buffer.append(" third");

            assertThat(buffer.toText()).isEqualTo("second third");
            assertThat(reused.memory().mismatch(pattern('#'))).isEqualTo(-1);
            reused.release();
        }
    }

    private static MemorySegment pattern(char value) {
        byte[] bytes = new byte[BlockType.DEFAULT.bytes()];
        Arrays.fill(bytes, (byte) value);
        return MemorySegment.ofArray(bytes);
    }

    @Test
    void shouldPassTheRoomOnWithTheLastPiece() {
        try (IOBuf one = pool.buffer();
                IOBuf two = pool.buffer()) {
            one.append("moved");
            one.cutInto(two, 5);

            two.append(" on");
            one.append("new");

            assertThat(two.toText()).isEqualTo("moved on");
            assertThat(two.pieces()).isEqualTo(1);
            assertThat(one.toText()).isEqualTo("new");
        }
    }

    @Test
    void shouldPopAtBothEnds() {
        try (IOBuf buffer = pool.buffer()) {
            buffer.append(Pattern.bytes(30_000, 3));

            assertThat(buffer.popFront(9_000)).isEqualTo(9_000);
            assertThat(buffer.popBack(9_000)).isEqualTo(9_000);

            byte[] middle = Arrays.copyOfRange(Pattern.bytes(30_000, 3), 9_000, 21_000);
            assertThat(buffer.toByteArray()).isEqualTo(middle);
            assertThat(buffer.popFront(50_000)).isEqualTo(12_000);
            assertThat(buffer.popBack(1)).isZero();
            assertThat(buffer.pieces()).isZero();
            assertThat(pool.outstanding()).isEmpty();
        }
    }

    @Test
    void shouldTakeOverABlock() {
        try (IOBuf buffer = pool.buffer()) {
            Block block = pool.allocate(BlockType.DEFAULT, BlockUse.RECEIVE);
            MemorySegment.copy(
                    MemorySegment.ofArray("..received".getBytes(StandardCharsets.UTF_8)),
                    0,
                    block.memory(),
                    0,
                    10);

            buffer.append(block.retain(), 2, 3);
            buffer.append(block, 5, 5);

            assertThat(buffer.toText()).isEqualTo("received");
            assertThat(buffer.pieces()).isEqualTo(1);
            assertThat(block.references()).isEqualTo(1);
            buffer.append(pool.allocate(1), 0, 0);
        }
        assertThat(pool.outstanding()).isEmpty();
    }

    @Test
    void shouldRefuseBadArguments() {
        try (IOBuf buffer = pool.buffer()) {
            Block block = pool.allocate(1);

            assertThatThrownBy(() -> buffer.popFront(-1)).hasMessageContaining("bytes: -1");
            assertThatThrownBy(() -> buffer.cutInto(buffer, 1)).hasMessageContaining("another");
            assertThatThrownBy(() -> buffer.append(block, 8000, 193))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> buffer.append(new byte[4], 2, 3))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> buffer.piece(0)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> buffer.copyTo(0, new byte[1], 0, 1))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThat(buffer.isEmpty()).isTrue();
            block.release();
        }
    }

    @Test
    void shouldShowReadOnlyViews() {
        try (IOBuf buffer = pool.buffer()) {
            buffer.append(Pattern.bytes(10_000, 4));

            List<MemorySegment> segments = buffer.segments();
            List<ByteBuffer> buffers = buffer.byteBuffers();

            assertThat(segments).hasSize(2).allMatch(MemorySegment::isReadOnly);
            assertThat(segments.get(1).byteSize()).isEqualTo(10_000 - 8192);
            assertThat(buffers).hasSize(2).allMatch(ByteBuffer::isReadOnly);
            byte[] joined = new byte[10_000];
            buffers.get(0).get(joined, 0, 8192);
            buffers.get(1).get(joined, 8192, 10_000 - 8192);
            assertThat(joined).isEqualTo(Pattern.bytes(10_000, 4));
        }
    }

    @Test
    void shouldCopyFromAnywhere() {
        byte[] data = Pattern.bytes(20_000, 5);
        try (IOBuf buffer = pool.buffer()) {
            buffer.append(data);
            byte[] target = new byte[10_004];
            ByteBuffer room = ByteBuffer.allocateDirect(100);

            buffer.copyTo(8_190, target, 2, 10_000);
            buffer.copyTo(19_900, room);

            assertThat(Arrays.copyOfRange(target, 2, 10_002))
                    .isEqualTo(Arrays.copyOfRange(data, 8_190, 18_190));
            assertThat(room.remaining()).isZero();
            assertThat(room.get(99)).isEqualTo(data[19_999]);
        }
    }

    @Test
    void shouldBeEqualByContent() {
        try (IOBuf one = pool.buffer();
                IOBuf two = pool.buffer();
                IOBuf part = pool.buffer()) {
            one.append(Pattern.bytes(20_000, 6));
            byte[] bytes = Pattern.bytes(20_000, 6);
            for (int from = 0; from < 20_000; from += 100) {
                part.append(bytes, from, 100);
                two.append(part);
                part.clear();
            }

            assertThat(two.pieces()).isGreaterThan(one.pieces());
            assertThat(one).isEqualTo(two).hasSameHashCodeAs(two);
            two.popBack(1);
            assertThat(one).isNotEqualTo(two);
            two.append(new byte[] {(byte) ~Pattern.bytes(20_000, 6)[19_999]});
            assertThat(one).isNotEqualTo(two).isNotEqualTo("text");
            assertThat(pool.buffer()).isEqualTo(pool.buffer());
        }
    }

    @Test
    void shouldStayAsItWasWhenThePoolIsExhausted() {
        BlockPool tight =
                pools.unregistered(
                        Pools.SMALL.withDivision(1, 1, 0).withReceive(BlockType.DEFAULT, 0));
        List<Block> all = BlockPoolFaultTest.takeAll(tight, BlockType.DEFAULT, BlockUse.SEND);
        all.removeLast().release();
        all.removeLast().release();

        try (IOBuf buffer = tight.buffer()) {
            buffer.append("before");
            byte[] tooMuch = new byte[3 * 8192];

            assertThatThrownBy(() -> buffer.append(tooMuch)).hasMessageContaining("ENOMEM");
            assertThatThrownBy(() -> buffer.append(MemorySegment.ofArray(tooMuch)))
                    .hasMessageContaining("ENOMEM");

            assertThat(buffer.toText()).isEqualTo("before");
            buffer.append(" and after");
            assertThat(buffer.toText()).isEqualTo("before and after");
        }
        all.forEach(Block::release);
    }

    @Test
    void shouldAllocateNothingOnTheHeapOnceWarm() {
        BlockPool unwatched = pools.registered(Pools.SMALL.withLeakTracking(LeakTracking.DISABLED));
        byte[] data = new byte[65_536];
        try (IOBuf whole = unwatched.buffer();
                IOBuf part = unwatched.buffer()) {
            long allocated =
                    AllocatedBytes.leastOf(
                            () -> {
                                whole.append(data);
                                whole.cutInto(part, 12);
                                part.append(whole);
                                whole.popFront(65_000);
                                whole.popBack(65_000);
                                part.clear();
                            });

            assertThat(allocated).isZero();
        }
    }

    @Test
    void shouldKnowWhatIsRegisteredWhere() {
        BlockPool other = pools.registered(Pools.SMALL);
        BlockPool plain = pools.unregistered(Pools.SMALL);
        try (IOBuf ours = pool.buffer();
                IOBuf theirs = other.buffer();
                IOBuf nobodys = plain.buffer()) {
            ours.append("x");
            theirs.append("y");
            nobodys.append("z");
            ours.append(theirs).append(nobodys);

            assertThat(pool.lkey(ours, 0)).isBetween(1L, 0xffff_ffffL);
            assertThat(pool.lkey(ours, 1)).isEqualTo(BlockPool.NOT_REGISTERED);
            assertThat(pool.lkey(ours, 2)).isEqualTo(BlockPool.NOT_REGISTERED);
            assertThat(other.lkey(ours, 1)).isBetween(1L, 0xffff_ffffL);
            assertThat(plain.lkey(ours, 2)).isEqualTo(BlockPool.NOT_REGISTERED);
            assertThat(plain.isRegistered()).isFalse();
            assertThat(pool.isRegistered()).isTrue();
        }
    }
}
