// SPDX-License-Identifier: Apache-2.0
package io.verbena.lab;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.LifecycleMethodExecutionExceptionHandler;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.opentest4j.TestAbortedException;

/**
 * Reports, for every test that fails in the guest, what the device saw: asynchronous events and
 * counters since the test began, and what is still open, before anything of the test is closed.
 * JUnit finds it by its service file, so it serves the tests of all modules.
 */
public final class DeviceStateOnFailure
        implements BeforeEachCallback,
                TestExecutionExceptionHandler,
                LifecycleMethodExecutionExceptionHandler {
    private static final boolean IN_GUEST = "guest".equals(System.getenv("VERBENA_LAB"));

    private final PrintStream err = System.err;
    private final AsyncEventTrace trace = new AsyncEventTrace();
    private HardwareCounters before;

    /** Created by JUnit, through its service file. */
    public DeviceStateOnFailure() throws IOException {
        if (IN_GUEST) {
            trace.start();
            before = HardwareCounters.read();
        }
    }

    @Override
    public void beforeEach(ExtensionContext context) throws IOException {
        if (IN_GUEST) {
            trace.mark(context.getDisplayName());
            before = HardwareCounters.read();
        }
    }

    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable failure)
            throws Throwable {
        throw reported(context, failure);
    }

    @Override
    public void handleBeforeAllMethodExecutionException(ExtensionContext context, Throwable failure)
            throws Throwable {
        throw reported(context, failure);
    }

    @Override
    public void handleBeforeEachMethodExecutionException(
            ExtensionContext context, Throwable failure) throws Throwable {
        throw reported(context, failure);
    }

    @Override
    public void handleAfterEachMethodExecutionException(ExtensionContext context, Throwable failure)
            throws Throwable {
        throw reported(context, failure);
    }

    @Override
    public void handleAfterAllMethodExecutionException(ExtensionContext context, Throwable failure)
            throws Throwable {
        throw reported(context, failure);
    }

    private Throwable reported(ExtensionContext context, Throwable failure) {
        if (IN_GUEST && !(failure instanceof TestAbortedException)) {
            err.println(context.getUniqueId() + " FAILED: " + failure);
            state().forEach(line -> err.println("    " + line));
        }
        return failure;
    }

    private List<String> state() {
        List<String> lines = new ArrayList<>();
        add(lines, "asynchronous events since the test began:", trace::events);
        add(lines, "hardware counters:", () -> HardwareCounters.read().since(before));
        add(lines, "rdma resource show:", () -> output("rdma", "resource", "show"));
        for (String kind : List.of("qp", "cq", "mr", "pd", "cm_id")) {
            add(
                    lines,
                    "rdma resource show " + kind + ":",
                    () -> output("rdma", "resource", "show", kind));
        }
        add(lines, "the kernel's last words:", () -> last(output("dmesg"), 10));
        return lines;
    }

    private static void add(List<String> lines, String title, Source source) {
        lines.add(title);
        try {
            source.read().forEach(line -> lines.add("  " + line));
        } catch (IOException e) {
            lines.add("  " + e);
        }
    }

    private static List<String> output(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (var in = process.inputReader(StandardCharsets.UTF_8)) {
            return in.lines().toList();
        }
    }

    private static List<String> last(List<String> lines, int count) {
        return lines.subList(Math.max(0, lines.size() - count), lines.size());
    }

    /** Something to read that may not be there. */
    @FunctionalInterface
    private interface Source {
        List<String> read() throws IOException;
    }
}
