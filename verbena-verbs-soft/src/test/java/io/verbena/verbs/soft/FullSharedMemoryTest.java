// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.testing.ChildJvm;
import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.Errno;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A shared-memory file system that fills up: whoever needs more memory is told so, whatever is
 * there works on, and everything works again once there is room.
 */
@Timeout(60)
class FullSharedMemoryTest {
    @TempDir private Path folder;

    @BeforeEach
    void mount() throws IOException, InterruptedException {
        int status =
                run(
                        "mount",
                        "-t",
                        "tmpfs",
                        "-o",
                        "size=2m,mode=0700",
                        "verbena-test",
                        folder.toString());
        assumeTrue(status == 0, "a small file system cannot be mounted here: needs root");
    }

    @AfterEach
    void unmount() throws IOException, InterruptedException {
        run("umount", "-l", folder.toString());
    }

    private static int run(String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command).inheritIO().start().waitFor();
    }

    @Test
    void shouldSayWhatIsMissingAndRecover() throws InterruptedException {
        // in a separate process: the folder belongs to the process
        try (ChildJvm child = ChildJvm.start(Fuller.class, folder.toString())) {
            assertThat(child.line()).isEqualTo("recovered");
            child.finish();
        }
    }

    /** Fills the file system before each step, and makes room again. */
    static final class Fuller {
        private final Path folder;
        private final Path filler;

        private Fuller(Path folder) {
            this.folder = folder;
            this.filler = folder.resolve("filler");
        }

        public static void main(String[] arguments) throws IOException {
            System.setProperty(SoftDirectory.PROPERTY, arguments[0]);
            new Fuller(Path.of(arguments[0])).fillAndEmpty();
            System.out.println("recovered");
        }

        private void fillAndEmpty() throws IOException {
            fill();
            assertNoRoom(() -> new Party("soft0", 4096, true, 16));
            empty();
            try (Party left = new Party("soft0", 4096, true, 16);
                    Party right = new Party("soft0", 4096, true, 16)) {
                left.toInit();
                right.toInit();
                fill();
                assertNoRoom(() -> left.domain.allocate(65_536, AccessFlag.LOCAL_WRITE));
                assertNoRoom(this::createQueues);
                // a queue pair itself needs no shared memory; its step to READY_TO_RECEIVE does
                assertNoRoom(() -> left.connect(right.address()));
                assertThat(left.pair.state()).isEqualTo(QueuePairState.INIT);
                empty();
                left.domain.allocate(65_536, AccessFlag.LOCAL_WRITE).close();
                left.connect(right.address());
                right.connect(left.address());
                fill();
                exchange(left, right);
                empty();
            }
        }

        /** More than the pages that are there have room for. */
        private void createQueues() {
            try (Party other = new Party("soft0", 8, false, 1)) {
                for (int i = 0; i < 8; i++) {
                    other.context.createCompletionQueue(1);
                }
            }
        }

        private void assertNoRoom(ThrowingCallable step) {
            assertThatThrownBy(step)
                    .isInstanceOfSatisfying(
                            VerbsException.class,
                            e -> assertThat(e.errno()).isEqualTo(Errno.ENOMEM))
                    .hasMessageContainingAll("needed=", folder.toString(), "enlarge");
        }

        private static void exchange(Party left, Party right) {
            assertThat(right.postReceive(1, 0, 64)).isTrue();
            assertThat(left.post(SendOpcode.SEND, 2, 0, 8, 0)).isTrue();
            while (!right.poll()) {
                left.poll();
            }
        }

        private void fill() throws IOException {
            ByteBuffer bytes = ByteBuffer.allocate(4096);
            try (FileChannel channel =
                    FileChannel.open(
                            filler, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
                while (true) {
                    channel.write(bytes.clear());
                }
            } catch (IOException e) {
                assertThat(e).hasMessageContaining("No space");
            }
        }

        private void empty() throws IOException {
            Files.delete(filler);
        }
    }
}
