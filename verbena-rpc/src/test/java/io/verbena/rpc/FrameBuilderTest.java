// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.BytesValue;
import io.verbena.memory.BlockPool;
import io.verbena.memory.BlockPoolOptions;
import io.verbena.memory.IOBuf;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FrameBuilderTest {
    private final BlockPool pool =
            BlockPool.unregistered(BlockPoolOptions.DEFAULT.withSizesMb(32, 32));
    private final FrameBuilder builder = new FrameBuilder(pool.buffer(), pool.buffer(), 0);
    private final IOBuf others = pool.buffer();

    @AfterEach
    void close() {
        builder.clear();
        others.close();
        assertThat(pool.statistics().used()).isZero();
        pool.close();
    }

    @Test
    void shouldMakeTheSameFrameInABufferOfItsOwnAndBehindOthers() {
        build(100, 0);
        byte[] own = builder.frame().toByteArray();
        builder.clear();
        build(100, 0);
        others.append("before");

        assertThat(builder.tryMoveTo(others)).isTrue();
        assertThat(builder.frame().isEmpty()).isTrue();
        others.popFront("before".length());
        assertThat(others.toByteArray()).isEqualTo(own);
    }

    @Test
    void shouldMoveAFrameOnlyOnce() {
        build(1, 0);

        assertThat(builder.tryMoveTo(others)).isTrue();
        long size = others.size();
        assertThat(builder.tryMoveTo(others)).isFalse();
        assertThat(others.size()).isEqualTo(size);
    }

    @Test
    void shouldKeepLongFramesAndAttachmentsInABufferOfTheirOwn() {
        build(100_000, 0);
        assertThat(builder.tryMoveTo(others)).isFalse();
        assertThat(builder.frame().size()).isGreaterThan(100_000);
        builder.clear();

        build(1, 7);
        assertThat(builder.tryMoveTo(others)).isFalse();
        assertThat(builder.frame().isEmpty()).isFalse();
        assertThat(others.isEmpty()).isTrue();
    }

    @Test
    void shouldForgetAShortFrameThatIsCleared() {
        build(1, 0);
        builder.clear();

        assertThat(builder.tryMoveTo(others)).isFalse();
        assertThat(builder.frame().isEmpty()).isTrue();
    }

    private void build(int bytes, int attachmentSize) {
        builder.meta().begin();
        builder.meta().common(0, 5, attachmentSize);
        builder.meta().withoutChecksum();
        builder.endWithMessage(BytesValue.of(ByteString.copyFrom(new byte[bytes])), attachmentSize);
    }
}
