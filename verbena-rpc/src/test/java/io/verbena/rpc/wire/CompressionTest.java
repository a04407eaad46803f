// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.memory.BlockPool;
import io.verbena.memory.BlockPoolOptions;
import io.verbena.memory.IOBuf;
import io.verbena.memory.LeakTracking;
import java.io.IOException;
import java.util.HexFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Broken bytes are an {@link IOException}, whatever the decoder makes of them. */
class CompressionTest {
    private static final int LIMIT = 1 << 20;

    private final BlockPool pool =
            BlockPool.unregistered(
                    BlockPoolOptions.DEFAULT
                            .withSizesMb(32, 32)
                            .withLeakTracking(LeakTracking.DISABLED));

    @AfterEach
    void close() {
        assertThat(pool.statistics().used()).isZero();
        pool.close();
    }

    private void decompress(int type, String hex) throws IOException {
        try (IOBuf source = pool.buffer();
                IOBuf target = pool.buffer()) {
            source.append(HexFormat.of().parseHex(hex));
            Compression.decompress(type, source, LIMIT, target);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "10fcffffff7f61", // a literal of 2 GiB
                "10fcffffffff61", // a literal of 4 GiB
                "10fc34129caa61", // a length that is negative as an int
                "10f861", // a length that is cut off
                "100e0000", // a copy from nowhere
                "10010061", // a copy from before the start
                "10", // nothing after the size
                "",
            })
    void shouldRefuseBrokenSnappy(String hex) {
        assertThatThrownBy(() -> decompress(Compression.SNAPPY, hex))
                .isInstanceOf(IOException.class);
    }
}
