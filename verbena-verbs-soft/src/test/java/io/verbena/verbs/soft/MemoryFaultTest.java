// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemoryFaultTest {
    private static final long PAGE = 4096;
    private static final int WARM_UP = 50_000;
    private static final int FAULTS = 2_000;

    @TempDir private Path folder;

    @SuppressWarnings("unused") // keeps the load
    private long seen;

    @Test
    void shouldSurfaceInsideTheBlockThatCatches() throws IOException {
        try (Arena arena = Arena.ofConfined();
                FileChannel channel =
                        FileChannel.open(folder.resolve("cut"), CREATE_NEW, READ, WRITE)) {
            MemorySegment memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, 2 * PAGE, arena);
            channel.truncate(PAGE);
            for (int i = 0; i < WARM_UP; i++) {
                assertThat(isFaultCaught(memory, 0)).isFalse();
            }

            int caught = 0;
            for (int i = 0; i < FAULTS; i++) {
                caught += isFaultCaught(memory, PAGE) ? 1 : 0;
            }

            assertThat(caught).isEqualTo(FAULTS);
        }
    }

    private boolean isFaultCaught(MemorySegment memory, long offset) {
        try {
            seen = memory.get(ValueLayout.JAVA_LONG, offset);
            MemoryFault.surface();
            return false;
        } catch (InternalError e) {
            return true;
        }
    }
}
