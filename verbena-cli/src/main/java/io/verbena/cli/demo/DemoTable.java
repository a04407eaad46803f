// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The table of {@link VerbsDemo}. */
final class DemoTable {
    private final Screen screen;

    /**
     * A table that is not drawn yet.
     *
     * @param screen where to draw
     */
    DemoTable(Screen screen) {
        this.screen = screen;
    }

    /**
     * Shows the progress of the run, if this is a terminal.
     *
     * @param operations the rows
     * @param fraction the elapsed fraction of the time
     * @param state a few words
     */
    void update(List<Operation> operations, double fraction, String state) {
        if (screen.isTerminal()) {
            draw(operations, screen.bar(fraction) + "  " + state);
        }
    }

    /**
     * Shows the result.
     *
     * @param operations the rows
     * @param summary the line below them
     */
    void finish(List<Operation> operations, String summary) {
        draw(operations, screen.good("ok") + "  " + summary);
    }

    private void draw(List<Operation> operations, String lastLine) {
        List<String> lines = new ArrayList<>();
        lines.add(
                screen.bold(
                        row("operation", "size", "p50 us", "p99 us", "max us", "ops/s", "MB/s")));
        operations.forEach(operation -> lines.add(row(operation)));
        lines.add("");
        lines.add("  " + lastLine);
        screen.show(lines);
    }

    private static String row(Operation operation) {
        return row(
                operation.name(),
                size(operation.size()),
                micros(operation.percentileUs(50)),
                micros(operation.percentileUs(99)),
                micros(operation.maxUs()),
                String.format(Locale.ROOT, "%,.0f", operation.rate()),
                String.format(Locale.ROOT, "%,.0f", operation.megabytesPerSecond()));
    }

    private static String row(Object... cells) {
        return String.format(Locale.ROOT, "  %-14s %7s %9s %9s %10s %11s %8s", cells);
    }

    private static String size(int bytes) {
        return bytes < 1 << 20 ? bytes + " B" : (bytes >> 20) + " MiB";
    }

    private static String micros(double value) {
        return String.format(Locale.ROOT, "%.2f", value);
    }
}
