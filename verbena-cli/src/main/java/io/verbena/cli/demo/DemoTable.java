// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.demo;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;

/** The demonstration's table: redrawn in place on a terminal, printed once elsewhere. */
final class DemoTable {
    private static final String BOLD = "\033[1m";
    private static final String DIM = "\033[2m";
    private static final String GREEN = "\033[32m";
    private static final String PLAIN = "\033[0m";
    private static final String CLEAR_TO_END = "\033[K";
    private static final int BAR_WIDTH = 30;

    private final PrintStream out;
    private final boolean live;
    private final boolean colored;
    private int drawnLines;

    /**
     * A table that is not drawn yet.
     *
     * @param out where to draw
     * @param live whether that is a terminal
     */
    DemoTable(PrintStream out, boolean live) {
        this.out = out;
        this.live = live;
        this.colored = live && System.getenv("NO_COLOR") == null;
    }

    /**
     * Shows how far the run has come, if this is a terminal.
     *
     * @param operations the rows
     * @param fraction how much of the time is over
     * @param state a few words
     */
    void update(List<Operation> operations, double fraction, String state) {
        if (live) {
            draw(operations, bar(fraction) + "  " + state);
        }
    }

    /**
     * Shows the result.
     *
     * @param operations the rows
     * @param summary what is to be said under them
     */
    void finish(List<Operation> operations, String summary) {
        draw(operations, style(GREEN, "ok") + "  " + summary);
    }

    private void draw(List<Operation> operations, String lastLine) {
        StringBuilder text = new StringBuilder();
        if (drawnLines > 0) {
            text.append("\033[").append(drawnLines).append('A');
        }
        drawnLines = 0;
        line(
                text,
                style(
                        BOLD,
                        row("operation", "size", "p50 us", "p99 us", "max us", "ops/s", "MB/s")));
        for (Operation operation : operations) {
            line(text, row(operation));
        }
        line(text, "");
        line(text, "  " + lastLine);
        out.print(text);
        out.flush();
    }

    private void line(StringBuilder text, String line) {
        text.append(line).append(live ? CLEAR_TO_END : "").append(System.lineSeparator());
        drawnLines += live ? 1 : 0;
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

    private String bar(double fraction) {
        int full = (int) Math.round(Math.clamp(fraction, 0, 1) * BAR_WIDTH);
        return "█".repeat(full) + style(DIM, "░".repeat(BAR_WIDTH - full));
    }

    private String style(String code, String text) {
        return colored ? code + text + PLAIN : text;
    }
}
