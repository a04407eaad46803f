// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.verbs;

import io.verbena.bench.measure.Measurement;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The best the machine can do: two processes that spin on one shared cache line. One side writes an
 * odd number, the other answers with the next even one; nothing else happens. No round trip through
 * memory is shorter.
 *
 * <p>One thread on each side.
 */
final class Floor implements AutoCloseable {
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
    private static final long LENGTH = 4096;
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment line;
    private final StallCheck patience;
    private long turn;

    private Floor(Path file, StallCheck patience) throws IOException {
        this.patience = patience;
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            this.line = channel.map(FileChannel.MapMode.READ_WRITE, 0, LENGTH, arena);
        } catch (IOException e) {
            arena.close();
            throw e;
        }
    }

    /** {@return a new file for the line, readable by its owner only; the caller deletes it} */
    static Path createFile() throws IOException {
        Path file =
                Files.isWritable(SHARED_MEMORY)
                        ? Files.createTempFile(SHARED_MEMORY, "verbena-bench-", ".line")
                        : Files.createTempFile("verbena-bench-", ".line");
        Files.write(file, new byte[(int) LENGTH]);
        return file;
    }

    static Floor open(Path file, StallCheck patience) throws IOException {
        return new Floor(file, patience);
    }

    /** {@return the round trips as measured by the side that begins} */
    Measurement ping(int rounds) {
        long[] stamps = new long[rounds + 1];
        stamps[0] = System.nanoTime();
        for (int i = 0; i < rounds; i++) {
            pingOnce();
            stamps[i + 1] = System.nanoTime();
        }
        return Measurement.ofStamps(stamps);
    }

    /** Answers as many round trips as the other side makes. */
    void pong(int rounds) {
        for (int i = 0; i < rounds; i++) {
            pongOnce();
        }
    }

    private void pingOnce() {
        WORD.setRelease(line, 0L, turn + 1);
        await(turn + 2);
        turn += 2;
    }

    private void pongOnce() {
        await(turn + 1);
        turn += 2;
        WORD.setRelease(line, 0L, turn);
    }

    private void await(long expected) {
        int spins = 0;
        long deadline = 0;
        while ((long) WORD.getAcquire(line, 0L) != expected) {
            if ((++spins & StallCheck.SPINS) == 0) {
                deadline = patience.check(deadline);
            }
        }
    }

    @Override
    public void close() {
        arena.close();
    }
}
