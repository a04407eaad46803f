// SPDX-License-Identifier: Apache-2.0
package io.verbena.lab;

import static java.nio.file.StandardOpenOption.WRITE;

import io.verbena.verbs.AsyncEventType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The asynchronous events that the kernel delivers to all processes in the guest. A program sees
 * only those of its own contexts, and only if it asks; so kernel probes record them in the tracing
 * file system that {@code scripts/lab/guest/start} mounts.
 */
final class AsyncEventTrace {
    private static final Path TRACING = Path.of("/sys/kernel/tracing");
    private static final String MARK = "test begins: ";
    private static final Pattern TYPE = Pattern.compile("type=(\\d+)");

    /** In {@code struct ib_event} the object is at 8 and the type at 16. */
    private static final List<String> PROBES =
            List.of(
                    "p:verbena/queue_pair ib_uverbs_qp_event_handler type=+16(%di):u32 object=+8(%di):x64",
                    "p:verbena/completion_queue ib_uverbs_cq_event_handler type=+16(%di):u32"
                            + " object=+8(%di):x64",
                    "p:verbena/shared_queue ib_uverbs_srq_event_handler type=+16(%di):u32 object=+8(%di):x64",
                    "p:verbena/device ib_uverbs_event_handler type=+16(%si):u32 port=+8(%si):u32");

    private Optional<IOException> obstacle = Optional.empty();

    /**
     * Starts recording events; on a kernel without probes only this part of a report is missing.
     */
    void start() {
        try {
            Files.writeString(TRACING.resolve("kprobe_events"), String.join("\n", PROBES), WRITE);
            Files.writeString(TRACING.resolve("events/verbena/enable"), "1", WRITE);
        } catch (IOException e) {
            obstacle = Optional.of(e);
        }
    }

    /** Marks the start of a test: events from now on belong to it. */
    void mark(String test) throws IOException {
        if (obstacle.isEmpty()) {
            Files.writeString(TRACING.resolve("trace_marker"), MARK + test, WRITE);
        }
    }

    /** {@return the events since the last mark, oldest first} */
    List<String> events() throws IOException {
        if (obstacle.isPresent()) {
            throw obstacle.get();
        }
        List<String> lines = Files.readAllLines(TRACING.resolve("trace"));
        int first = lines.size();
        while (first > 0 && !lines.get(first - 1).contains(MARK)) {
            first--;
        }
        return lines.subList(first, lines.size()).stream()
                .filter(line -> !line.startsWith("#"))
                .map(AsyncEventTrace::withName)
                .toList();
    }

    private static String withName(String line) {
        Matcher type = TYPE.matcher(line);
        return type.find() ? line + " " + AsyncEventType.of(Integer.parseInt(type.group(1))) : line;
    }
}
