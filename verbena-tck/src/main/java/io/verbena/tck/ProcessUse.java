// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

/**
 * The system resources the process holds: threads, open files, mappings. Zero where the system does
 * not report them.
 *
 * @param threads live platform threads
 * @param files open file descriptors
 * @param mappings mapped ranges of memory
 */
record ProcessUse(int threads, long files, long mappings) {
    private static final Path PROC = Path.of("/proc/self");

    static ProcessUse now() {
        return new ProcessUse(Thread.getAllStackTraces().size(), countFiles(), countLines("maps"));
    }

    /** Waits until only a little more is held than before. */
    static void assertReturnsTo(ProcessUse before, Duration patience) {
        new Patience(patience)
                .await(
                        "return to " + before,
                        () -> now().isWithin(before, 12, 300),
                        () -> "now " + now());
    }

    private boolean isWithin(ProcessUse before, int slack, int mappingSlack) {
        return threads <= before.threads + slack
                && files <= before.files + slack
                && mappings <= before.mappings + mappingSlack;
    }

    /** {@return the resident memory in bytes, 0 if the system does not report it} */
    static long residentBytes() {
        Path path = PROC.resolve("statm");
        if (!Files.isReadable(path)) {
            return 0;
        }
        try {
            return Long.parseLong(Files.readString(path).split(" ", -1)[1]) * 4096;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long countFiles() {
        Path path = PROC.resolve("fd");
        if (!Files.isDirectory(path)) {
            return 0;
        }
        try (Stream<Path> files = Files.list(path)) {
            return files.count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long countLines(String name) {
        Path path = PROC.resolve(name);
        if (!Files.isReadable(path)) {
            return 0;
        }
        try (Stream<String> lines = Files.lines(path)) {
            return lines.count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
