// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.verbena.testing.ChildJvm;
import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class SoftDirectoryTest {
    private static final int NOBODY = 65534;

    @TempDir private Path parent;

    @Test
    void shouldCreateFolderForOwnerOnly() throws IOException {
        Path folder = parent.resolve("new");

        SoftDirectory directory = SoftDirectory.open(folder);

        assertThat(directory.path()).isEqualTo(folder);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)))
                .isEqualTo("rwx------");
        assertThat(filesOf(folder)).containsExactly("namespace");
    }

    @Test
    void shouldOpenFolderThatExists() {
        SoftDirectory first = SoftDirectory.open(parent.resolve("again"));

        SoftDirectory second = SoftDirectory.open(parent.resolve("again"));

        assertThat(second.namespace()).isEqualTo(first.namespace());
    }

    @Test
    void shouldNameFilesOfInstance() {
        SoftDirectory directory = SoftDirectory.open(parent.resolve("names"));
        Path path = directory.path();

        assertThat(directory.socket(0xabL)).isEqualTo(path.resolve("00000000000000ab.sock"));
        assertThat(directory.lock(-1)).isEqualTo(path.resolve("ffffffffffffffff.lock"));
        assertThat(directory.segment(1, 7)).isEqualTo(path.resolve("0000000000000001.7.mem"));
        assertThat(directory.segment(1, -1))
                .isEqualTo(path.resolve("0000000000000001.4294967295.mem"));
    }

    @Test
    void shouldRefuseSymbolicLink() throws IOException {
        Path real = parent.resolve("real");
        SoftDirectory.open(real);
        Path link = Files.createSymbolicLink(parent.resolve("link"), real);
        Path dangling = Files.createSymbolicLink(parent.resolve("to"), parent.resolve("nowhere"));

        assertRefused(link, "symbolic link");
        assertRefused(dangling, "symbolic link");
        assertThat(parent.resolve("nowhere")).doesNotExist();
    }

    @Test
    void shouldRefuseFile() throws IOException {
        assertRefused(Files.createFile(parent.resolve("file")), "not a folder");
    }

    @Test
    void shouldRefuseFolderOthersMayEnter() throws IOException {
        for (String mode : List.of("rwx--x---", "rwxr-----", "rwx----w-", "rwxrwxrwx")) {
            Path folder = Files.createDirectory(parent.resolve(mode));
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString(mode));

            assertRefused(folder, "mode " + mode);
        }
    }

    @Test
    void shouldRefuseFolderOfSomebodyElse() throws IOException {
        assumeThat(Posix.userId()).as("only root can give a folder away").isZero();
        Path folder = parent.resolve("theirs");
        SoftDirectory.open(folder);
        Files.setAttribute(folder, "unix:uid", NOBODY);

        assertRefused(folder, "owned by");
    }

    @Test
    void shouldRefuseNameTooLongForSockets() throws IOException {
        int room = SoftDirectory.LONGEST_SOCKET_PATH - "/0123456789abcdef.sock".length();
        int used = parent.toString().length() + 1;
        Path longest = parent.resolve("x".repeat(room - used));
        Path tooLong = parent.resolve("x".repeat(room - used + 1));

        Path socket = SoftDirectory.open(longest).socket(1);
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(socket));
        }

        assertThatThrownBy(() -> SoftDirectory.open(tooLong))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL))
                .hasMessageContaining((room + 1) + " bytes (expected: <= " + room)
                .hasMessageContaining(SoftDirectory.PROPERTY);
        assertThat(tooLong).doesNotExist();
    }

    @Test
    void shouldSayWhenParentIsAbsent() {
        assertThatThrownBy(() -> SoftDirectory.open(parent.resolve("absent/folder")))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("absent/folder")
                .hasMessageContaining(SoftDirectory.PROPERTY);
    }

    @Test
    void shouldFollowProperty() {
        String before = System.getProperty(SoftDirectory.PROPERTY, "");
        System.setProperty(SoftDirectory.PROPERTY, parent.resolve("named").toString());
        try {
            assertThat(SoftDirectory.open().path()).isEqualTo(parent.resolve("named"));
        } finally {
            System.setProperty(SoftDirectory.PROPERTY, before);
        }
    }

    @Test
    void shouldGiveEachFolderItsNamespace() {
        long one = SoftDirectory.open(parent.resolve("one")).namespace();
        long two = SoftDirectory.open(parent.resolve("two")).namespace();

        assertThat(one).isNotEqualTo(two);
        assertThat(one >>> 56).isEqualTo(0xfe);
        assertThat(two >>> 56).isEqualTo(0xfe);
    }

    @Test
    void shouldRefuseDamagedNamespace() throws IOException {
        Path folder = parent.resolve("damaged");
        SoftDirectory.open(folder);
        Files.writeString(folder.resolve("namespace"), "short");

        assertThatThrownBy(() -> SoftDirectory.open(folder))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("namespace: 5 bytes (expected: 16)");
    }

    @Test
    void shouldAgreeOnNamespaceWhenThreadsRace() throws Exception {
        int threads = 8;
        CyclicBarrier start = new CyclicBarrier(threads);
        try (ExecutorService racers =
                Executors.newFixedThreadPool(
                        threads, Thread.ofPlatform().name("racer-", 0).factory())) {
            for (int round = 0; round < 50; round++) {
                Path folder = parent.resolve("race" + round);
                Callable<Long> racer =
                        () -> {
                            start.await();
                            return SoftDirectory.open(folder).namespace();
                        };
                List<Future<Long>> results =
                        Stream.generate(() -> racers.submit(racer)).limit(threads).toList();

                long expected = results.getFirst().get();
                for (Future<Long> result : results) {
                    assertThat(result.get()).isEqualTo(expected);
                }
                assertThat(filesOf(folder)).containsExactly("namespace");
            }
        }
    }

    @Test
    void shouldAgreeOnNamespaceWhenProcessesRace() throws Exception {
        try (ChildJvm one = ChildJvm.start(Opener.class, parent);
                ChildJvm two = ChildJvm.start(Opener.class, parent)) {
            for (int round = 0; round < Opener.ROUNDS; round++) {
                String expected = one.line();
                assertThat(two.line()).isEqualTo(expected);
                long namespace = SoftDirectory.open(Opener.folder(parent, round)).namespace();
                assertThat(HexFormat.of().toHexDigits(namespace)).isEqualTo(expected);
            }
            one.finish();
            two.finish();
        }
    }

    private static void assertRefused(Path folder, String reason) {
        assertThatThrownBy(() -> SoftDirectory.open(folder))
                .isInstanceOfSatisfying(
                        VerbsException.class,
                        e -> {
                            assertThat(e.errno()).isEqualTo(Errno.EACCES);
                            assertThat(e.verb()).isEqualTo("ibv_open_device");
                        })
                .hasMessageContaining(folder.toString())
                .hasMessageContaining(reason)
                .hasMessageContaining("name another folder with -D" + SoftDirectory.PROPERTY);
    }

    private static List<String> filesOf(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    /** Opens folder after folder and prints their namespaces. */
    static final class Opener {
        static final int ROUNDS = 200;

        private Opener() {}

        public static void main(String[] arguments) {
            Path parent = Path.of(arguments[0]);
            for (int round = 0; round < ROUNDS; round++) {
                long namespace = SoftDirectory.open(folder(parent, round)).namespace();
                System.out.println(HexFormat.of().toHexDigits(namespace));
            }
        }

        static Path folder(Path parent, int round) {
            return parent.resolve("process" + round);
        }
    }
}
