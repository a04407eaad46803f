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
import io.verbena.verbs.WorkCompletionStatus;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
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
                        "size=8m,mode=0700",
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

    /** What the peer cannot reach is copied to shared memory first, which needs room. */
    @Test
    void shouldFailOnlyTheQueuePairThatFindsNoRoomToSendFrom() throws InterruptedException {
        try (ChildJvm receiver = ChildJvm.start(Receiver.class, folder.toString());
                ChildJvm sender = ChildJvm.start(Sender.class, folder.toString())) {
            for (int i = 0; i < Sender.PAIRS; i++) {
                String address = sender.line();
                receiver.tell(address);
                sender.tell(receiver.line());
            }
            assertThat(receiver.line()).isEqualTo("connected");
            sender.tell("send");
            assertLoggedAndRecovered(sender);
            receiver.tell("end");
            sender.finish();
            receiver.finish();
        }
    }

    /** The device's own thread logs: before the sender has recovered, or after it. */
    private void assertLoggedAndRecovered(ChildJvm sender) throws InterruptedException {
        List<String> printed = new ArrayList<>();
        while (!printed.contains("recovered")
                || printed.stream().noneMatch(line -> line.contains("enlarge"))) {
            printed.add(sender.line());
        }
        assertThat(String.join(" ", printed))
                .contains("needed=", folder.toString())
                .doesNotContain("AssertionError");
    }

    /** Receives whatever comes, on two queue pairs. */
    static final class Receiver {
        private Receiver() {}

        public static void main(String[] arguments) throws IOException {
            System.setProperty(SoftDirectory.PROPERTY, arguments[0]);
            BufferedReader lines = lines();
            List<Party> parties = new ArrayList<>();
            for (int i = 0; i < Sender.PAIRS; i++) {
                Party party = new Party("soft1", 2 * Sender.LARGE, true, 16);
                parties.add(party);
                party.toInit();
                for (int receive = 0; receive < 8; receive++) {
                    assertThat(party.postReceive(receive, 0, Sender.LARGE)).isTrue();
                }
                String address = lines.readLine();
                party.connect(address);
                System.out.println(party.address());
            }
            System.out.println("connected");
            // the device's own thread receives
            assertThat(lines.readLine()).isEqualTo("end");
            parties.forEach(Party::close);
        }
    }

    private static BufferedReader lines() {
        return new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    }

    /** Sends from memory of its own, with and without room for the copy. */
    static final class Sender {
        static final int PAIRS = 2;
        static final int LARGE = 64 << 10;

        private Sender() {}

        public static void main(String[] arguments) throws IOException {
            System.setProperty(SoftDirectory.PROPERTY, arguments[0]);
            BufferedReader lines = lines();
            Fuller fuller = new Fuller(Path.of(arguments[0]));
            try (Party ill = new Party("soft0", 2 * LARGE, false, 16);
                    Party well = new Party("soft0", 2 * LARGE, false, 16)) {
                for (Party party : List.of(ill, well)) {
                    party.toInit();
                    System.out.println(party.address());
                    party.connect(lines.readLine());
                }
                assertThat(lines.readLine()).isEqualTo("send");
                // what each needs for itself is there now
                assertThat(status(ill, 8)).isEqualTo(WorkCompletionStatus.SUCCESS);
                assertThat(status(well, 8)).isEqualTo(WorkCompletionStatus.SUCCESS);
                fuller.fill();
                assertThat(status(ill, LARGE)).isNotEqualTo(WorkCompletionStatus.SUCCESS);
                assertThat(ill.pair.state()).isEqualTo(QueuePairState.ERROR);
                assertThat(status(well, 8)).isEqualTo(WorkCompletionStatus.SUCCESS);
                fuller.empty();
                assertThat(status(well, LARGE)).isEqualTo(WorkCompletionStatus.SUCCESS);
            }
            System.out.println("recovered");
            // a process that ended here could take the line of the device's thread with it
            assertThat(lines.readLine()).isNull();
        }

        /** {@return how a send ended} */
        private static WorkCompletionStatus status(Party party, int length) {
            assertThat(party.post(SendOpcode.SEND, 1, 0, length, 0)).isTrue();
            while (!party.poll()) {
                Thread.onSpinWait();
            }
            return party.cursor.status();
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
