// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.BlockPool;
import io.verbena.memory.BlockPoolOptions;
import io.verbena.memory.IOBuf;
import io.verbena.memory.LeakTracking;
import io.verbena.testing.Seeds;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Stream frames: brpc's bytes as a fixed baseline, and bytes that are not. */
class StreamFrameTest {
    private static final HexFormat HEX = HexFormat.of();
    private static final long MAX_BODY = 1 << 16;

    private final BlockPool pool =
            BlockPool.unregistered(
                    BlockPoolOptions.DEFAULT
                            .withSizesMb(32, 32)
                            .withLeakTracking(LeakTracking.DISABLED));
    private final StreamCutter cutter = new StreamCutter();

    @AfterEach
    void close() {
        assertThat(pool.statistics().used()).isZero();
        pool.close();
    }

    private String hex(StreamFrame frame, String data) {
        try (IOBuf bytes = pool.buffer()) {
            frame.appendTo(data.length(), bytes);
            bytes.append(data);
            return HEX.formatHex(bytes.toByteArray());
        }
    }

    @Test
    void shouldWriteFramesAsBrpcDoes() {
        assertThat(hex(StreamFrame.data(5, 7, false), "ab"))
                .isEqualTo("5354524d0000000a0000000808051007180320006162");
        assertThat(hex(StreamFrame.data(5, 7, true), ""))
                .isEqualTo("5354524d00000008000000080805100718032001");
        assertThat(hex(StreamFrame.close(5, 7), ""))
                .isEqualTo("5354524d0000000600000006080510071802");
        assertThat(hex(StreamFrame.rst(5), "")).isEqualTo("5354524d000000040000000408051801");
        assertThat(hex(StreamFrame.feedback(5, 7, 300), ""))
                .isEqualTo("5354524d0000000b0000000b0805100718042a0308ac02");
        assertThat(hex(StreamFrame.data(1, -1, false), ""))
                .isEqualTo("5354524d0000001100000011080110ffffffffffffffffff0118032000");
    }

    @Test
    void shouldWriteSettingsAsBrpcDoes() {
        MetaWriter writer = new MetaWriter();
        try (IOBuf frame = pool.buffer()) {
            writer.begin();
            writer.streamSettings(new StreamSettings(new long[] {5, 6, 7}, true, true));
            writer.end(frame);

            assertThat(HEX.formatHex(frame.toByteArray()))
                    .isEqualTo("505250430000000c0000000c420a08051001180120062007");
        }
    }

    @Test
    void shouldReadWhatItWrote() {
        try (IOBuf received = pool.buffer();
                IOBuf data = pool.buffer()) {
            StreamFrame.data(1L << 40, 3, true).appendTo(3, received);
            received.append("abc");
            StreamFrame.feedback(4, 5, 1L << 50).appendTo(0, received);

            assertThat(cutter.next(received, MAX_BODY)).isEqualTo(FrameCutter.Result.READY);
            assertThat(cutter.meta().streamId()).isEqualTo(1L << 40);
            assertThat(cutter.meta().sourceStreamId()).isEqualTo(3);
            assertThat(cutter.meta().hasContinuation()).isTrue();
            cutter.cutData(received, data);
            assertThat(data.toText()).isEqualTo("abc");
            assertThat(cutter.next(received, MAX_BODY)).isEqualTo(FrameCutter.Result.READY);
            assertThat(cutter.meta().frameType()).isEqualTo(StreamMeta.FEEDBACK);
            assertThat(cutter.meta().consumedSize()).isEqualTo(1L << 50);
            cutter.skip(received);
            assertThat(received.isEmpty()).isTrue();
        }
    }

    @Test
    void shouldSkipAFrameThatIsTooLargeAsItArrives() {
        byte[] large = new byte[(int) MAX_BODY + 1];
        try (IOBuf received = pool.buffer()) {
            StreamFrame.data(1, 2, false).appendTo(large.length, received);
            assertThat(cutter.next(received, MAX_BODY)).isEqualTo(FrameCutter.Result.TOO_LARGE);
            cutter.skipAsItArrives(received);
            assertThat(cutter.isSkipping()).isTrue();
            received.append(large);
            StreamFrame.rst(9).appendTo(0, received);

            assertThat(cutter.next(received, MAX_BODY)).isEqualTo(FrameCutter.Result.READY);
            assertThat(cutter.meta().streamId()).isEqualTo(9);
            cutter.skip(received);
        }
    }

    private byte[] frame(Random random) {
        try (IOBuf bytes = pool.buffer()) {
            byte[] data = new byte[random.nextInt(16) == 0 ? random.nextInt(3000) : 20];
            switch (random.nextInt(4)) {
                case 0 ->
                        StreamFrame.data(random.nextLong(), 7, false).appendTo(data.length, bytes);
                case 1 -> StreamFrame.feedback(5, 7, random.nextLong()).appendTo(0, bytes);
                case 2 -> StreamFrame.close(5, random.nextLong()).appendTo(0, bytes);
                default -> StreamFrame.rst(random.nextInt()).appendTo(0, bytes);
            }
            bytes.append(data);
            return bytes.toByteArray();
        }
    }

    /** {@code -Dverbena.fuzz=5000000} runs it for long. */
    @Test
    void shouldSurviveMutatedFrames() {
        long rounds = Long.getLong("verbena.fuzz", 100_000);
        Random random = new Random(Seeds.next("StreamFrameTest"));
        int ready = 0;
        for (long round = 0; round < rounds; round++) {
            byte[] bytes = frame(random);
            for (int i = random.nextInt(4); i > 0; i--) {
                bytes[random.nextInt(Math.min(bytes.length, 40))] = (byte) random.nextInt();
            }
            int length = random.nextInt(8) == 0 ? random.nextInt(bytes.length) : bytes.length;
            StreamCutter fresh = new StreamCutter();
            try (IOBuf received = pool.buffer();
                    IOBuf data = pool.buffer()) {
                received.append(bytes, 0, length);
                if (fresh.next(received, MAX_BODY) == FrameCutter.Result.READY) {
                    ready++;
                    fresh.cutData(received, data);
                    assertThat(data.size()).isEqualTo(fresh.dataSize());
                }
            }
        }
        assertThat(ready).isGreaterThan((int) (rounds / 100));
    }
}
