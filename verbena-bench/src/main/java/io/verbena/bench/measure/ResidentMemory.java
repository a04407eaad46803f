// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.measure;

import io.verbena.tools.ToolException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;

/** The resident memory of a process, where the system reports it. */
public final class ResidentMemory {
    private ResidentMemory() {}

    /**
     * {@return the resident set of this process in bytes after a garbage collection; nothing where
     * it is unknown}
     */
    public static OptionalLong afterCollection() {
        System.gc();
        return of(ProcessHandle.current().pid());
    }

    /**
     * {@return the resident set of a process in bytes; nothing where it is unknown}
     *
     * @param pid its id
     */
    public static OptionalLong of(long pid) {
        Path status = Path.of("/proc", Long.toString(pid), "status");
        if (!Files.isReadable(status)) {
            return OptionalLong.empty();
        }
        try {
            return parse(Files.readString(status));
        } catch (IOException e) {
            throw new ToolException("cannot read " + status + ": " + e.getMessage(), e);
        }
    }

    /**
     * {@return how much each of some objects added; nothing where it is unknown}
     *
     * @param before the resident set without them
     * @param after the resident set with them
     * @param count how many objects there are
     */
    public static OptionalLong growth(OptionalLong before, OptionalLong after, int count) {
        return before.isPresent() && after.isPresent()
                ? OptionalLong.of((after.getAsLong() - before.getAsLong()) / count)
                : OptionalLong.empty();
    }

    /** {@return the bytes in the line {@code VmRSS: 1234 kB}} */
    static OptionalLong parse(String status) {
        Optional<String> line =
                status.lines().filter(text -> text.startsWith("VmRSS:")).findFirst();
        return line.isEmpty()
                ? OptionalLong.empty()
                : OptionalLong.of(Long.parseLong(line.get().replaceAll("\\D", "")) << 10);
    }
}
