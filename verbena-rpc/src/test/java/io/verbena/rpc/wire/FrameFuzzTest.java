// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.verbena.memory.BlockPool;
import io.verbena.memory.BlockPoolOptions;
import io.verbena.memory.IOBuf;
import io.verbena.memory.LeakTracking;
import io.verbena.rpc.test.EchoRequest;
import io.verbena.testing.Seeds;
import java.io.IOException;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Mutated frames: whatever they contain, they end in a result, never in an unexpected exception,
 * and take no more memory than they have bytes. {@code -Dverbena.fuzz=5000000} runs it for long.
 */
class FrameFuzzTest {
    private static final long MAX_BODY = 1 << 16;

    private final long rounds = Long.getLong("verbena.fuzz", 200_000);
    private final BlockPool pool =
            BlockPool.unregistered(
                    BlockPoolOptions.DEFAULT
                            .withSizesMb(32, 32)
                            .withLeakTracking(LeakTracking.DISABLED));
    private final FrameCutter cutter = new FrameCutter();
    private long characters;
    private int ready;
    private int parsed;

    @AfterEach
    void close() {
        assertThat(pool.statistics().used()).isZero();
        pool.close();
    }

    private byte[] frame(Random random) throws IOException {
        MetaWriter writer = new MetaWriter();
        byte[] data = new byte[random.nextInt(64) == 0 ? random.nextInt(9000) : random.nextInt(60)];
        EchoRequest message =
                EchoRequest.newBuilder()
                        .setMessage("fuzz")
                        .setData(ByteString.copyFrom(data))
                        .build();
        int type = random.nextInt(4);
        try (IOBuf frame = pool.buffer();
                IOBuf payload = pool.buffer()) {
            Compression.compress(type, message, payload);
            writer.begin();
            writer.request(
                    MetaWriter.names("test.EchoService", "Echo"), random.nextInt(3), "id", 5);
            writer.common(type, random.nextLong(), 3);
            writer.authentication(new byte[random.nextInt(9)]);
            writer.userFields(Map.of("key", "value"));
            if (random.nextBoolean()) {
                writer.checksum(0, Checksum.of(payload, frame), false);
            } else {
                writer.withoutChecksum();
            }
            writer.endWithBytes(payload, 3, frame);
            frame.append("abc");
            return frame.toByteArray();
        }
    }

    private static void mutate(byte[] bytes, Random random) {
        for (int i = random.nextInt(4); i > 0; i--) {
            int at = random.nextInt(3) == 0 ? random.nextInt(bytes.length) : random.nextInt(70);
            at = Math.min(at, bytes.length - 1);
            switch (random.nextInt(3)) {
                case 0 -> bytes[at] = (byte) random.nextInt();
                case 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
                default -> bytes[at] = (byte) (random.nextBoolean() ? 0xff : 0);
            }
        }
    }

    @Test
    void shouldSurviveMutatedFrames() throws IOException {
        Random random = new Random(Seeds.next("FrameFuzzTest"));
        byte[][] seeds = new byte[256][];
        for (int i = 0; i < seeds.length; i++) {
            seeds[i] = frame(random);
        }
        for (long round = 0; round < rounds; round++) {
            byte[] bytes = seeds[random.nextInt(seeds.length)].clone();
            mutate(bytes, random);
            feed(bytes, random);
        }
        assertThat(characters).isPositive();
        // the mutations are not so wild that nothing gets through
        assertThat(ready).isGreaterThan((int) (rounds / 10));
        assertThat(parsed).isGreaterThan((int) (rounds / 20));
    }

    private void feed(byte[] bytes, Random random) {
        try (IOBuf received = pool.buffer()) {
            int first = random.nextInt(bytes.length + 1);
            received.append(bytes, 0, first);
            if (first > 0) {
                cutter.next(received, MAX_BODY);
            }
            received.append(bytes, first, bytes.length - first);
            if (cutter.next(received, MAX_BODY) == FrameCutter.Result.READY) {
                ready++;
                take(received);
            }
        }
    }

    private void take(IOBuf received) {
        RpcMeta meta = cutter.meta();
        meta.userFields();
        characters += meta.toString().length();
        if (!cutter.isAttachmentPossible()) {
            cutter.skip(received);
            return;
        }
        try (IOBuf payload = pool.buffer();
                IOBuf attachment = pool.buffer()) {
            if (cutter.isPlain()) {
                cutter.parse(EchoRequest.getDefaultInstance());
            }
            cutter.cutPayload(received, payload, attachment);
            Checksum.verify(meta, payload, attachment);
            FrameCutter.parse(
                    payload, meta.compressType(), MAX_BODY, EchoRequest.getDefaultInstance());
            parsed++;
        } catch (IOException expected) {
            characters += expected.getMessage().length();
        }
    }
}
