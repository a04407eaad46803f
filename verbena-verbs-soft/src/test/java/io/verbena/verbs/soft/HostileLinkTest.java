// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.testing.ChildJvm;
import io.verbena.testing.Seeds;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.WorkCompletionStatus;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.Arena;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A process that sends whatever it likes on the link, and leaves absurd files behind. */
@Timeout(60)
class HostileLinkTest {
    private static final int LINKS = Integer.getInteger("verbena.test.hostileLinks", 2_000);
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(10);

    private final List<Throwable> uncaught = Collections.synchronizedList(new ArrayList<>());
    private final Random random = new Random(Seeds.next("HostileLinkTest"));
    private Thread.UncaughtExceptionHandler previous;
    private Party left;
    private Party right;
    private SoftDevice device;

    @BeforeEach
    void start() {
        previous = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, cause) -> uncaught.add(cause));
        left = new Party("soft0", 4096, true, 16);
        right = new Party("soft1", 4096, true, 16);
        device = ((SoftProtectionDomain) left.domain).device();
        left.toInit();
        right.toInit();
        left.connect(right.address());
        right.connect(left.address());
        assertWorks();
    }

    @AfterEach
    void stop() {
        left.close();
        right.close();
        Thread.setDefaultUncaughtExceptionHandler(previous);
        assertThat(uncaught).isEmpty();
    }

    @Test
    void shouldSurviveNonsenseOnALink() throws IOException {
        for (int i = 0; i < LINKS; i++) {
            try (SocketChannel link = open()) {
                sayNonsense(link);
            } catch (IOException e) {
                // the device has hung up, which is its right
                assertThat(e).hasMessageContaining("pipe");
            }
        }
        assertWorks();
    }

    private void sayNonsense(SocketChannel link) throws IOException {
        ByteBuffer words = ByteBuffer.allocate(4096);
        if (random.nextInt(8) > 0) {
            long self = Party.instance(left.address());
            words.put(LinkCodec.hello(random.nextBoolean() ? random.nextLong() : self));
        }
        for (int i = random.nextInt(20); i > 0; i--) {
            switch (random.nextInt(4)) {
                case 0 -> words.put(LinkCodec.freed(random.nextInt(1 << random.nextInt(31))));
                case 1 -> words.put(LinkCodec.attach(attach()));
                case 2 -> words.putInt(random.nextInt(6)).putLong(random.nextLong());
                default -> words.put((byte) random.nextInt());
            }
        }
        words.flip();
        if (words.remaining() > 0 && random.nextInt(4) == 0) {
            words.limit(random.nextInt(words.remaining()));
        }
        while (words.hasRemaining()) {
            link.write(words);
        }
    }

    private AttachMessage attach() {
        return new AttachMessage(
                random.nextBoolean() ? right.pair.number() : random.nextInt(),
                random.nextBoolean() ? left.pair.number() : random.nextInt(),
                random.nextInt(8) - 2,
                random.nextBoolean() ? random.nextLong() : 64L * random.nextInt(10_000),
                random.nextLong(),
                random.nextLong(),
                random.nextInt(),
                ControlLayout.AREAS,
                random.nextInt(100));
    }

    @Test
    void shouldNotBelieveWhoSaysItIsAnother() throws IOException {
        long honest = Party.instance(right.address());
        for (int i = 0; i < 10; i++) {
            try (SocketChannel link = open()) {
                link.write(LinkCodec.hello(honest));
            }
        }
        // the device has read the ten greetings once it answers an eleventh link
        awaitHangUp();

        assertWorks();
    }

    @Test
    void shouldKeepARingWhoseSegmentIsSaidToBeFreed() throws IOException {
        long honest = Party.instance(right.address());
        try (SocketChannel link = open()) {
            link.write(LinkCodec.hello(honest));
            for (int segment = 0; segment < 100; segment++) {
                link.write(LinkCodec.freed(segment));
            }
            awaitHangUp();

            assertWorks();
        }
    }

    /** Waits until the device has read and dropped a link made after all others. */
    private void awaitHangUp() throws IOException {
        for (int i = 0; i < 20; i++) {
            try (SocketChannel link = open()) {
                link.write(ByteBuffer.allocate(16));
                assertThat(link.read(ByteBuffer.allocate(1))).isEqualTo(-1);
            }
        }
    }

    @Test
    void shouldMapNoAbsurdFiles(@TempDir Path folder) throws IOException {
        Path huge = folder.resolve("huge");
        try (FileChannel channel =
                FileChannel.open(huge, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.allocate(1), 1L << 42);
        }
        Path locked = Files.createFile(folder.resolve("locked"));
        assertThat(locked.toFile().setWritable(false)).isTrue();
        try (Arena arena = Arena.ofShared()) {
            for (Path file : List.of(folder, locked, Path.of("/dev/null"), Path.of("/dev/zero"))) {
                assertThatThrownBy(() -> SharedMemory.map(file, arena))
                        .as("%s", file)
                        .isInstanceOf(IOException.class);
            }
            assertThat(SharedMemory.map(huge, arena).byteSize()).isGreaterThan(1L << 42);
        }
    }

    /** Whether it sends into the lost memory, or only polls it. No error must reach the caller. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldSurviveAPeerThatShrinksItsMemory(boolean isSending) throws Exception {
        try (Party party = new Party("soft0", 4096, true, 16);
                ChildJvm child = ChildJvm.start(Shrinker.class)) {
            String address = child.line();
            party.toInit();
            party.connect(address);
            child.tell(party.address());
            assertThat(child.line()).isEqualTo("connected");
            assertThat(party.post(SendOpcode.SEND, 1, 0, 8, 0)).isTrue();
            await(party);
            assertThat(party.postReceive(2, 0, 64)).isTrue();
            child.tell("shrink");
            awaitLine(child, "shrunk");

            long limitNs = System.nanoTime() + LIMIT_NS;
            int flushed = 0;
            int posted = isSending && party.post(SendOpcode.SEND, 3, 0, 8, 0) ? 2 : 1;
            while (flushed < posted) {
                flushed += party.poll() ? 1 : 0;
                assertThat(System.nanoTime() - limitNs).as("%s", party.pair.state()).isNegative();
            }
            assertThat(party.pair.state()).isEqualTo(QueuePairState.ERROR);
            child.kill();
        }
        assertWorks();
    }

    /** Skips what the child's own device says about the loss of its memory. */
    private static void awaitLine(ChildJvm child, String expected) throws Exception {
        String line = child.line();
        while (!line.equals(expected)) {
            line = child.line();
        }
    }

    /** A peer that truncates all its files once it is connected. */
    static final class Shrinker {
        private Shrinker() {}

        public static void main(String[] arguments) throws IOException {
            Party party = new Party("soft0", 4096, true, 16);
            BufferedReader input =
                    new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            System.out.println(party.address());
            String address = input.readLine();
            party.toInit();
            for (int i = 0; i < 8; i++) {
                party.postReceive(i, 0, 64);
            }
            party.connect(address);
            System.out.println("connected");
            input.readLine();
            SoftDevice device = ((SoftProtectionDomain) party.domain).device();
            for (int segment = 0; segment < 8; segment++) {
                Path file = device.directory().segment(device.guid(), segment);
                if (Files.exists(file)) {
                    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                        channel.truncate(0);
                    }
                }
            }
            System.out.println("shrunk");
            input.readLine();
        }
    }

    private SocketChannel open() throws IOException {
        return SocketChannel.open(
                UnixDomainSocketAddress.of(device.directory().socket(device.guid())));
    }

    private void assertWorks() {
        assertThat(right.postReceive(1, 0, 64)).isTrue();
        assertThat(left.post(SendOpcode.SEND, 2, 0, 8, 0)).isTrue();
        await(left);
        await(right);
        assertThat(left.pair.state()).isEqualTo(QueuePairState.READY_TO_SEND);
    }

    private static void await(Party party) {
        long limitNs = System.nanoTime() + LIMIT_NS;
        while (!party.poll()) {
            assertThat(System.nanoTime() - limitNs).as("%s", party.pair.state()).isNegative();
        }
        assertThat(party.cursor.status()).isEqualTo(WorkCompletionStatus.SUCCESS);
    }
}
