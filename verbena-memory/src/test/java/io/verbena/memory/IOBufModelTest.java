// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random operations on a few buffers give the same bytes as the same operations on arrays. */
class IOBufModelTest {
    private static final int BUFFERS = 4;
    private static final int STEPS = 600;

    @RegisterExtension final Pools pools = new Pools();

    private final IOBuf[] buffers = new IOBuf[BUFFERS];
    private final byte[][] models = new byte[BUFFERS][0];
    private int userData;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void shouldBehaveAsArraysDo(long seed) {
        run(seed);
    }

    /** Also run manually, with many more seeds. */
    void run(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        BlockPool pool =
                seed % 2 == 0 ? pools.registered(Pools.SMALL) : pools.unregistered(Pools.SMALL);
        Arrays.setAll(buffers, _ -> pool.buffer());
        try (Arena arena = Arena.ofConfined()) {
            for (int step = 0; step < STEPS; step++) {
                int i = random.nextInt(BUFFERS);
                change(pool, arena, i, random);
                check(i, random);
            }
            for (IOBuf buffer : buffers) {
                buffer.close();
            }
        }
        assertThat(userData).isZero();
        assertThat(pool.outstanding()).isEmpty();
    }

    private void change(BlockPool pool, Arena arena, int i, SplittableRandom random) {
        if (models[i].length > 200_000) {
            buffers[i].clear();
            models[i] = new byte[0];
        }
        switch (random.nextInt(10)) {
            case 0, 1 -> appendBytes(i, random);
            case 2 -> appendNumbers(i, random);
            case 3 -> share(i, random.nextInt(BUFFERS));
            case 4 -> appendBlock(pool, i, random);
            case 5 -> appendUserData(arena, i, random);
            case 6, 7 -> cut(i, random);
            case 8 -> popFront(i, random);
            default -> popBack(i, random);
        }
    }

    private void appendBytes(int i, SplittableRandom random) {
        byte[] bytes = Pattern.bytes(size(random), random.nextLong());
        switch (random.nextInt(3)) {
            case 0 -> buffers[i].append(bytes);
            case 1 -> buffers[i].append(ByteBuffer.wrap(bytes).asReadOnlyBuffer());
            default -> buffers[i].append(MemorySegment.ofArray(bytes));
        }
        models[i] = join(models[i], bytes);
    }

    private void appendNumbers(int i, SplittableRandom random) {
        ByteOrder order = random.nextBoolean() ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
        ByteBuffer model = ByteBuffer.allocate(15).order(order);
        long value = random.nextLong();
        buffers[i]
                .appender(order)
                .writeByte((int) value)
                .writeShort((int) value)
                .writeInt((int) value)
                .writeLong(value);
        model.put((byte) value).putShort((short) value).putInt((int) value).putLong(value);
        models[i] = join(models[i], model.array());
    }

    private void share(int i, int other) {
        buffers[i].append(buffers[other]);
        models[i] = join(models[i], models[other]);
    }

    private void appendBlock(BlockPool pool, int i, SplittableRandom random) {
        Block block = pool.allocate(BlockType.DEFAULT, BlockUse.RECEIVE);
        byte[] bytes = Pattern.bytes(random.nextInt(block.capacity()), random.nextLong());
        int offset = random.nextInt(block.capacity() - bytes.length);
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, block.memory(), offset, bytes.length);
        buffers[i].append(block, offset, bytes.length);
        models[i] = join(models[i], bytes);
    }

    private void appendUserData(Arena arena, int i, SplittableRandom random) {
        byte[] bytes = Pattern.bytes(1 + size(random), random.nextLong());
        MemorySegment memory = arena.allocate(bytes.length).copyFrom(MemorySegment.ofArray(bytes));
        userData++;
        buffers[i].appendUserData(memory, BlockPool.NOT_REGISTERED, () -> userData--);
        models[i] = join(models[i], bytes);
    }

    private void cut(int i, SplittableRandom random) {
        int other = (i + 1 + random.nextInt(BUFFERS - 1)) % BUFFERS;
        int count = amount(models[i].length, random);
        assertThat(buffers[i].cutInto(buffers[other], count))
                .isEqualTo(Math.min(count, models[i].length));
        int cut = Math.min(count, models[i].length);
        models[other] = join(models[other], Arrays.copyOf(models[i], cut));
        models[i] = Arrays.copyOfRange(models[i], cut, models[i].length);
    }

    private void popFront(int i, SplittableRandom random) {
        int count = amount(models[i].length, random);
        buffers[i].popFront(count);
        models[i] =
                Arrays.copyOfRange(models[i], Math.min(count, models[i].length), models[i].length);
    }

    private void popBack(int i, SplittableRandom random) {
        int count = amount(models[i].length, random);
        buffers[i].popBack(count);
        models[i] = Arrays.copyOf(models[i], Math.max(0, models[i].length - count));
    }

    private void check(int i, SplittableRandom random) {
        IOBuf buffer = buffers[i];
        byte[] model = models[i];
        assertThat(buffer.size()).isEqualTo(model.length);
        assertThat(Arrays.equals(buffer.toByteArray(), model)).isTrue();
        int sum = 0;
        for (int p = 0; p < buffer.pieces(); p++) {
            assertThat(buffer.pieceLength(p)).isPositive();
            assertThat(buffer.piece(p).address()).isEqualTo(buffer.pieceAddress(p));
            sum += buffer.pieceLength(p);
        }
        assertThat(sum).isEqualTo(model.length);
        checkReader(buffer, model, random);
        int other = random.nextInt(BUFFERS);
        assertThat(buffer.equals(buffers[other])).isEqualTo(Arrays.equals(model, models[other]));
    }

    private static void checkReader(IOBuf buffer, byte[] model, SplittableRandom random) {
        ByteOrder order = random.nextBoolean() ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
        ByteBuffer expected = ByteBuffer.wrap(model).order(order);
        IOBufReader reader = buffer.reader(order);
        while (reader.remaining() >= Long.BYTES) {
            switch (random.nextInt(6)) {
                case 0 -> assertThat(reader.readByte()).isEqualTo(expected.get());
                case 1 -> assertThat(reader.readShort()).isEqualTo(expected.getShort());
                case 2 -> assertThat(reader.readInt()).isEqualTo(expected.getInt());
                case 3 -> assertThat(reader.readLong()).isEqualTo(expected.getLong());
                default -> skip(reader, expected, random);
            }
        }
    }

    private static void skip(IOBufReader reader, ByteBuffer expected, SplittableRandom random) {
        int count = random.nextInt((int) Math.min(9000, reader.remaining() + 1));
        reader.skip(count);
        expected.position(expected.position() + count);
        assertThat(reader.position()).isEqualTo(expected.position());
    }

    /** Mostly small, sometimes several blocks, sometimes exactly one. */
    private static int size(SplittableRandom random) {
        return switch (random.nextInt(4)) {
            case 0 -> random.nextInt(20_000);
            case 1 -> BlockType.DEFAULT.bytes();
            default -> random.nextInt(100);
        };
    }

    private static int amount(int length, SplittableRandom random) {
        return random.nextInt(8) == 0 ? length : random.nextInt(length + 50);
    }

    private static byte[] join(byte[] one, byte[] two) {
        ByteArrayOutputStream joined = new ByteArrayOutputStream(one.length + two.length);
        joined.writeBytes(one);
        joined.writeBytes(two);
        return joined.toByteArray();
    }
}
