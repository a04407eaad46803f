// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.demo;

import java.io.Console;
import java.io.PrintStream;
import java.util.List;

/** Where a demonstration is shown: on a terminal, new lines replace the previous ones. */
final class Screen {
    private static final String BOLD = "\033[1m";
    private static final String DIM = "\033[2m";
    private static final String GREEN = "\033[32m";
    private static final String PLAIN = "\033[0m";
    private static final String CLEAR_TO_END = "\033[K";
    private static final int BAR_WIDTH = 30;

    private final PrintStream out;
    private final boolean isTerminal;
    private final boolean isColored;
    private int drawnLines;

    Screen(PrintStream out) {
        this.out = out;
        this.isTerminal = hasTerminal();
        this.isColored = isTerminal && System.getenv("NO_COLOR") == null;
    }

    /** The console is null without a terminal, unless a flag chooses another implementation. */
    @SuppressWarnings("SystemConsoleNull")
    private static boolean hasTerminal() {
        Console console = System.console();
        return console != null && console.isTerminal();
    }

    boolean isTerminal() {
        return isTerminal;
    }

    /**
     * Shows lines; on a terminal they replace the previous ones.
     *
     * @param lines what to show
     */
    void show(List<String> lines) {
        StringBuilder text = new StringBuilder();
        if (drawnLines > 0) {
            text.append("\033[").append(drawnLines).append('A');
        }
        for (String line : lines) {
            text.append(line).append(isTerminal ? CLEAR_TO_END : "").append(System.lineSeparator());
        }
        drawnLines = isTerminal ? lines.size() : 0;
        out.print(text);
        out.flush();
    }

    String bar(double fraction) {
        int full = (int) Math.round(Math.clamp(fraction, 0, 1) * BAR_WIDTH);
        return "█".repeat(full) + style(DIM, "░".repeat(BAR_WIDTH - full));
    }

    String bold(String text) {
        return style(BOLD, text);
    }

    String good(String text) {
        return style(GREEN, text);
    }

    private String style(String code, String text) {
        return isColored ? code + text + PLAIN : text;
    }
}
