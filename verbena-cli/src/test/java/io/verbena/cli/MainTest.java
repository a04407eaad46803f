// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

final class MainTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void shouldPrintItsVersionAndTheJavaThatRunsIt() {
        int exit = run("--version");

        assertThat(exit).isZero();
        assertThat(out.toString()).matches("(?s)verbena \\d+\\.\\d+\\.\\d+.*java 2[5-9].*");
    }

    @Test
    void shouldPrintUsageOnRequest() {
        int exit = run("--help");

        assertThat(exit).isZero();
        assertThat(out.toString()).startsWith("Usage: verbena");
    }

    @Test
    void shouldRejectAnUnknownCommand() {
        int exit = run("no-such-command");

        assertThat(exit).isEqualTo(2);
        assertThat(err.toString()).contains("no-such-command");
    }

    @Test
    void shouldAskForACommand() {
        int exit = run();

        assertThat(exit).isEqualTo(2);
        assertThat(err.toString()).startsWith("Missing command");
    }

    private int run(String... args) {
        return Main.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(args);
    }
}
