// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.BytesValue;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.StringValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.verbena.testing.AllocatedBytes;
import io.verbena.testing.Thrown;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProtobufCodecTest {
    @RegisterExtension final Pools pools = new Pools();

    private final BlockPool pool =
            pools.registered(Pools.SMALL.withLeakTracking(LeakTracking.DISABLED));

    private static Struct struct(int fields) {
        Struct.Builder struct = Struct.newBuilder();
        for (int i = 0; i < fields; i++) {
            struct.putFields("field " + i, Value.newBuilder().setStringValue("välue " + i).build());
        }
        return struct.build();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 10, 300, 3000, 30000})
    void shouldReadWhatItWrote(int fields) throws InvalidProtocolBufferException {
        Struct message = struct(fields);
        try (IOBuf buffer = pool.buffer()) {
            ProtobufCodec.append(message, buffer);

            assertThat(buffer.size()).isEqualTo(message.getSerializedSize());
            assertThat(ProtobufCodec.parse(buffer, Struct.parser())).isEqualTo(message);
            assertThat(buffer.toByteArray()).hasSize(message.getSerializedSize());
            assertThat(Struct.parseFrom(buffer.toByteArray())).isEqualTo(message);
        }
    }

    @Test
    void shouldReadFromAnyPieces() throws InvalidProtocolBufferException {
        Struct message = struct(100);
        try (IOBuf whole = pool.buffer();
                IOBuf part = pool.buffer();
                IOBuf pieces = pool.buffer()) {
            ProtobufCodec.append(message, whole);
            for (int i = 1; whole.cutInto(part, i) > 0; i = i % 7 + 1) {
                pieces.append(part.toByteArray());
                pieces.append("x");
                pieces.popBack(1);
                part.clear();
            }

            assertThat(pieces.pieces()).isGreaterThan(100);
            assertThat(ProtobufCodec.parse(pieces, Struct.parser())).isEqualTo(message);
        }
    }

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldLeaveABufferAsItWasIfAMessageThrows(Thrown thrown) {
        for (int fields : new int[] {1, 3000}) {
            MessageLite faulty =
                    thrown.in(MessageLite.class, struct(fields), () -> true, "writeTo");
            try (IOBuf buffer = pool.buffer()) {
                assertThatThrownBy(() -> ProtobufCodec.append(faulty, buffer)).isNotNull();

                assertThat(buffer.size()).isZero();
                assertThat(buffer.pieces()).isZero();
            }
        }
    }

    @Test
    void shouldAppendBehindWhatIsThere() throws InvalidProtocolBufferException {
        try (IOBuf buffer = pool.buffer()) {
            buffer.append("head");
            ProtobufCodec.append(StringValue.of("body"), buffer);

            assertThat(buffer.pieces()).isEqualTo(1);
            buffer.popFront(4);
            assertThat(ProtobufCodec.parse(buffer, StringValue.parser()).getValue())
                    .isEqualTo("body");
        }
    }

    @Test
    void shouldRefuseWhatIsNoMessage() {
        try (IOBuf buffer = pool.buffer()) {
            ProtobufCodec.append(struct(2000), buffer);
            buffer.popBack(1);
            assertThatThrownBy(() -> ProtobufCodec.parse(buffer, Struct.parser()))
                    .isInstanceOf(InvalidProtocolBufferException.class);
            buffer.clear();
            buffer.append(new byte[] {(byte) 0xff, (byte) 0xff});
            assertThatThrownBy(() -> ProtobufCodec.parse(buffer, Struct.parser()))
                    .isInstanceOf(InvalidProtocolBufferException.class);
            buffer.clear();
            // an end of a group that never began
            buffer.append(new byte[] {0x0c});
            assertThatThrownBy(() -> ProtobufCodec.parse(buffer, Struct.parser()))
                    .isInstanceOf(InvalidProtocolBufferException.class);
        }
    }

    @Test
    void shouldLeaveTheBufferAsItWasWhenThePoolIsExhausted() {
        BlockPool tight =
                pools.unregistered(
                        Pools.SMALL.withDivision(1, 1, 0).withReceive(BlockType.DEFAULT, 0));
        List<Block> all = BlockPoolFaultTest.takeAll(tight, BlockType.DEFAULT, BlockUse.SEND);
        all.removeLast().release();
        try (IOBuf buffer = tight.buffer()) {
            buffer.append("before");

            assertThatThrownBy(() -> ProtobufCodec.append(struct(3000), buffer))
                    .hasMessageContaining("ENOMEM");

            assertThat(buffer.toText()).isEqualTo("before");
        }
        all.forEach(Block::release);
    }

    @Test
    void shouldWriteASmallMessageInPlace() {
        MessageLite message = BytesValue.of(ByteString.copyFrom(new byte[8000]));
        try (IOBuf buffer = pool.buffer()) {
            long allocated =
                    AllocatedBytes.leastOf(
                            () -> {
                                ProtobufCodec.append(message, buffer);
                                buffer.clear();
                            });

            // a view and a stream
            assertThat(allocated).isLessThan(1000);
        }
    }

    @Test
    void shouldWriteBytesWithoutAnArrayInBetween() {
        MessageLite message = BytesValue.of(ByteString.copyFrom(new byte[1 << 20]));
        try (IOBuf buffer = pool.buffer()) {
            long allocated =
                    AllocatedBytes.leastOf(
                            () -> {
                                ProtobufCodec.append(message, buffer);
                                buffer.clear();
                            });

            assertThat(allocated).isLessThan(8_000);
        }
    }

    @Test
    void shouldReadBytesIntoTheMessageAlone() {
        int size = 1 << 20;
        try (IOBuf buffer = pool.buffer()) {
            ProtobufCodec.append(BytesValue.of(ByteString.copyFrom(new byte[size])), buffer);

            long allocated =
                    AllocatedBytes.leastOf(
                            () -> {
                                try {
                                    ProtobufCodec.parse(buffer, BytesValue.parser());
                                } catch (InvalidProtocolBufferException e) {
                                    throw new AssertionError(e);
                                }
                            });

            assertThat(allocated).isBetween((long) size, size + 1000L);
        }
    }
}
