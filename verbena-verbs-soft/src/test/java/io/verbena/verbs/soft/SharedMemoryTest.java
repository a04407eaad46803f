// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class SharedMemoryTest {
    @TempDir private Path folder;

    @Test
    void shouldCreateZeroFilledFileForOwnerOnly() throws IOException {
        Path file = folder.resolve("new");
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = SharedMemory.create(file, 12_345, arena);

            assertThat(memory.byteSize()).isEqualTo(12_345);
            assertThat(memory.mismatch(arena.allocate(12_345))).isEqualTo(-1);
            assertThat(Files.size(file)).isEqualTo(12_345);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo("rw-------");
        }
    }

    @Test
    void shouldShareWhatIsWritten() throws IOException {
        Path file = folder.resolve("shared");
        try (Arena arena = Arena.ofShared()) {
            MemorySegment one = SharedMemory.create(file, 1 << 20, arena);
            MemorySegment other = SharedMemory.map(file, arena);

            one.set(JAVA_LONG, 4096, 0x1234_5678_9abc_def0L);

            assertThat(other.byteSize()).isEqualTo(1 << 20);
            assertThat(other.get(JAVA_LONG, 4096)).isEqualTo(0x1234_5678_9abc_def0L);
            assertThat(other.address()).isNotEqualTo(one.address());
        }
    }

    @Test
    void shouldSayHowMuchRoomIsMissing() {
        Path file = folder.resolve("huge");
        try (Arena arena = Arena.ofShared()) {
            assertThatThrownBy(() -> SharedMemory.create(file, Long.MAX_VALUE, arena))
                    .isInstanceOfSatisfying(
                            VerbsException.class,
                            e -> assertThat(e.errno()).isEqualTo(Errno.ENOMEM))
                    .hasMessageContaining("needed=" + Long.MAX_VALUE)
                    .hasMessageContaining("available=")
                    .hasMessageContaining("enlarge");
            assertThat(file).doesNotExist();
        }
    }

    @Test
    void shouldLeaveNothingBehindWhenMappingFails() {
        Path file = folder.resolve("unmapped");
        Arena closed = Arena.ofShared();
        closed.close();

        assertThatThrownBy(() -> SharedMemory.create(file, 4096, closed))
                .isInstanceOf(IllegalStateException.class);

        assertThat(file).doesNotExist();
    }

    @Test
    void shouldNotTouchFileThatExists() throws IOException {
        Path file = Files.writeString(folder.resolve("mine"), "precious");
        try (Arena arena = Arena.ofShared()) {
            assertThatThrownBy(() -> SharedMemory.create(file, 4096, arena))
                    .isInstanceOfSatisfying(
                            VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EIO));

            assertThat(file).hasContent("precious");
        }
    }

    @Test
    void shouldRefuseToFollowLinks() throws IOException {
        Path target = Files.writeString(folder.resolve("target"), "precious");
        Path link = Files.createSymbolicLink(folder.resolve("link"), target);
        Path dangling = folder.resolve("dangling");
        Files.createSymbolicLink(dangling, folder.resolve("absent"));
        try (Arena arena = Arena.ofShared()) {
            assertThatThrownBy(() -> SharedMemory.map(link, arena))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("symbolic links");
            assertThatThrownBy(() -> SharedMemory.create(dangling, 4096, arena))
                    .isInstanceOf(VerbsException.class);

            assertThat(folder.resolve("absent")).doesNotExist();
        }
    }

    @Test
    void shouldRefuseToMapWhatIsAbsentOrEmpty() throws IOException {
        Path empty = Files.createFile(folder.resolve("empty"));
        try (Arena arena = Arena.ofShared()) {
            assertThatThrownBy(() -> SharedMemory.map(folder.resolve("absent"), arena))
                    .isInstanceOf(NoSuchFileException.class);
            assertThatThrownBy(() -> SharedMemory.map(empty, arena))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("0 bytes");
            assertThatThrownBy(() -> SharedMemory.create(folder.resolve("none"), 0, arena))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("size: 0 (expected: > 0)");
        }
    }
}
