// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.testing.ChildJvm;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class InstanceTest {
    private static final String OLD = "0123456789abcdef.3.mem";
    private static final String YOUNG = "fedcba9876543210.sock";

    @TempDir private Path parent;
    private SoftDirectory directory;

    @BeforeEach
    void openDirectory() {
        directory = SoftDirectory.open(parent.resolve("d"));
    }

    @Test
    void shouldRemoveAllItsFilesWhenClosed() throws IOException {
        Instance instance = Instance.claim(directory);
        Instance other = Instance.claim(directory);
        Files.createFile(directory.segment(instance.id(), 1));
        Files.createFile(directory.socket(instance.id()));
        assertThat(instance.id()).isNotZero().isNotEqualTo(other.id());
        assertThat(directory.lock(instance.id())).exists();

        instance.close();
        instance.close();

        assertThat(files()).containsExactly(name(directory.lock(other.id())), "namespace");
        other.close();
        assertThat(files()).containsExactly("namespace");
    }

    @Test
    void shouldCloseAsFarAsItCan() throws IOException {
        Instance instance = Instance.claim(directory);
        Path stubborn = Files.createDirectory(directory.segment(instance.id(), 1));
        Files.createFile(stubborn.resolve("content"));
        Files.createFile(directory.segment(instance.id(), 2));

        assertThatThrownBy(instance::close)
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining(stubborn.toString());

        assertThat(files()).containsExactly(name(stubborn), "namespace");
    }

    @Test
    void shouldNotSweepOwnInstances() {
        try (Instance instance = Instance.claim(directory)) {
            assertThat(Instance.sweep(directory)).isZero();
            assertThat(directory.lock(instance.id())).exists();
        }
    }

    @Test
    void shouldSweepOnlyDeadProcess() throws Exception {
        try (ChildJvm dead = ChildJvm.start(Owner.class, directory.path());
                ChildJvm alive = ChildJvm.start(Owner.class, directory.path())) {
            long deadId = Long.parseLong(dead.line());
            long aliveId = Long.parseLong(alive.line());
            assertThat(Instance.sweep(directory)).isZero();
            assertThat(files()).hasSize(5);

            dead.kill();

            assertThat(Instance.sweep(directory)).isEqualTo(1);
            assertThat(directory.lock(deadId)).doesNotExist();
            assertThat(directory.segment(deadId, 1)).doesNotExist();
            assertThat(directory.lock(aliveId)).exists();
            assertThat(directory.segment(aliveId, 1)).exists();

            alive.finish();
            assertThat(Instance.sweep(directory)).isZero();
            assertThat(files()).containsExactly("namespace");
        }
    }

    @Test
    void shouldSweepOnceWhenManySweep() throws Exception {
        try (ExecutorService sweepers =
                Executors.newFixedThreadPool(
                        4, Thread.ofPlatform().name("sweeper-", 0).factory())) {
            for (long id = 1; id <= 50; id++) {
                // What a killed process leaves behind: files, and a lock nobody holds.
                Files.createFile(directory.lock(id));
                Files.createFile(directory.segment(id, 1));
            }

            Callable<Integer> sweep = () -> Instance.sweep(directory);
            int swept = 0;
            for (Future<Integer> result : sweepers.invokeAll(List.of(sweep, sweep, sweep, sweep))) {
                swept += result.get();
            }

            assertThat(swept).isEqualTo(50);
            assertThat(files()).containsExactly("namespace");
        }
    }

    @Test
    void shouldSurviveSweeperThatIsFasterThanItsLock() throws Exception {
        try (ChildJvm sweeper = ChildJvm.start(Sweeper.class, directory.path())) {
            assertThat(sweeper.line()).isEqualTo("sweeping");
            for (int round = 0; round < 2_000; round++) {
                try (Instance instance = Instance.claim(directory)) {
                    Path segment = Files.createFile(directory.segment(instance.id(), 1));
                    Instance.sweep(directory);
                    assertThat(directory.lock(instance.id())).exists();
                    assertThat(segment).exists();
                }
            }
            sweeper.finish();
        }
        assertThat(files()).containsExactly("namespace");
    }

    @Test
    void shouldRemoveOldFilesWithoutLockOnly() throws IOException {
        FileTime longAgo = FileTime.from(Instant.now().minusSeconds(90));
        for (String name : List.of(OLD, YOUNG, "cm-7.sock", "0123456789ABCDEF.sock", "x.mem")) {
            Files.createFile(directory.path().resolve(name));
        }
        for (String name : List.of(OLD, "cm-7.sock", "0123456789ABCDEF.sock", "x.mem")) {
            Files.setLastModifiedTime(directory.path().resolve(name), longAgo);
        }
        try (Instance instance = Instance.claim(directory)) {
            Path segment = Files.createFile(directory.segment(instance.id(), 1));
            Files.setLastModifiedTime(segment, longAgo);

            assertThat(Instance.sweep(directory)).isZero();

            assertThat(segment).exists();
        }
        assertThat(files())
                .containsExactlyInAnyOrder(
                        YOUNG, "cm-7.sock", "0123456789ABCDEF.sock", "x.mem", "namespace");
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(directory.path())) {
            return files.map(InstanceTest::name).sorted().toList();
        }
    }

    private static String name(Path file) {
        return file.getFileName().toString();
    }

    /** Lives until its input ends. */
    static final class Owner {
        private Owner() {}

        public static void main(String[] arguments) throws IOException {
            SoftDirectory directory = SoftDirectory.open(Path.of(arguments[0]));
            try (Instance instance = Instance.claim(directory);
                    Arena arena = Arena.ofShared()) {
                SharedMemory.create(directory.segment(instance.id(), 1), 1 << 20, arena);
                System.out.println(instance.id());
                System.in.transferTo(OutputStream.nullOutputStream());
            }
        }
    }

    /** Sweeps until its input ends. */
    static final class Sweeper {
        private Sweeper() {}

        public static void main(String[] arguments) throws IOException {
            SoftDirectory directory = SoftDirectory.open(Path.of(arguments[0]));
            Thread input = Thread.ofPlatform().name("input").start(Sweeper::readAll);
            System.out.println("sweeping");
            int swept = 0;
            while (input.isAlive()) {
                swept += Instance.sweep(directory);
            }
            System.out.println("swept " + swept);
        }

        private static void readAll() {
            try {
                System.in.transferTo(OutputStream.nullOutputStream());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
