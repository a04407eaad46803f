// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.BufferUnderflowException;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class IOBufReaderTest {
    @RegisterExtension final Pools pools = new Pools();

    private final BlockPool pool = pools.unregistered(Pools.SMALL);

    @Test
    void shouldReadWhatWasAppendedInEitherOrder() {
        for (ByteOrder order : new ByteOrder[] {ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN}) {
            try (IOBuf buffer = pool.buffer()) {
                buffer.appender(order)
                        .writeByte(0x12)
                        .writeShort(0x3456)
                        .writeInt(0x789abcde)
                        .writeLong(0x1122334455667788L)
                        .writeBytes(new byte[] {1, 2, 3});

                IOBufReader reader = buffer.reader(order);

                assertThat(reader.readByte()).isEqualTo((byte) 0x12);
                assertThat(reader.readShort()).isEqualTo((short) 0x3456);
                assertThat(reader.readInt()).isEqualTo(0x789abcde);
                assertThat(reader.readLong()).isEqualTo(0x1122334455667788L);
                byte[] rest = new byte[3];
                reader.readBytes(rest);
                assertThat(rest).containsExactly(1, 2, 3);
                assertThat(reader.remaining()).isZero();
                assertThat(buffer.size()).isEqualTo(18);
            }
        }
    }

    @Test
    void shouldLayOutBigEndianAsTheWireDoes() {
        try (IOBuf buffer = pool.buffer()) {
            buffer.appender(ByteOrder.BIG_ENDIAN).writeInt(0x01020304);

            assertThat(buffer.toByteArray()).containsExactly(1, 2, 3, 4);
        }
    }

    @Test
    void shouldReadAcrossPieces() {
        try (IOBuf buffer = pool.buffer();
                IOBuf part = pool.buffer()) {
            for (int i = 0; i < 8; i++) {
                part.append(new byte[] {(byte) (0x11 * (i + 1))});
                buffer.append(part);
                part.clear();
            }

            assertThat(buffer.pieces()).isEqualTo(8);
            assertThat(buffer.reader(ByteOrder.BIG_ENDIAN).readLong())
                    .isEqualTo(0x1122334455667788L);
            assertThat(buffer.reader(ByteOrder.LITTLE_ENDIAN).readInt()).isEqualTo(0x44332211);
        }
    }

    @Test
    void shouldStayWhereItIsWhenThereAreTooFewBytes() {
        try (IOBuf buffer = pool.buffer()) {
            buffer.append(new byte[] {1, 2, 3});
            IOBufReader reader = buffer.reader(ByteOrder.BIG_ENDIAN);

            assertThatThrownBy(reader::readInt).isInstanceOf(BufferUnderflowException.class);
            assertThatThrownBy(() -> reader.skip(4)).isInstanceOf(BufferUnderflowException.class);
            assertThatThrownBy(() -> reader.readBytes(new byte[4]))
                    .isInstanceOf(BufferUnderflowException.class);
            assertThatThrownBy(() -> reader.skip(-1)).hasMessageContaining("bytes: -1");

            assertThat(reader.position()).isZero();
            buffer.append(new byte[] {4});
            assertThat(reader.readInt()).isEqualTo(0x01020304);
        }
    }

    @Test
    void shouldReadOnWhatIsAppendedLater() {
        try (IOBuf buffer = pool.buffer();
                IOBuf more = pool.buffer()) {
            IOBufReader reader = buffer.reader(ByteOrder.BIG_ENDIAN);
            buffer.append(new byte[] {1});
            assertThat(reader.readByte()).isEqualTo((byte) 1);
            buffer.append(new byte[] {2});
            assertThat(reader.readByte()).isEqualTo((byte) 2);
            more.append(new byte[] {3, 4});
            buffer.append(more);
            assertThat(reader.readShort()).isEqualTo((short) 0x0304);
        }
    }
}
