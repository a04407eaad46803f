// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Help.Ansi;

/** The page from which the launcher prints help when nothing is built. */
final class HelpPageTest {
    private static final Path PAGE = Path.of("..", "scripts", "help", "compare.txt");

    @Test
    void shouldBeWhatTheCommandPrints() throws IOException {
        String usage = CompareCommand.commandLine().getUsageMessage(Ansi.OFF);
        if (Boolean.getBoolean("verbena.help.write")) {
            Files.writeString(PAGE, usage);
        }

        assertThat(PAGE).as("run scripts/update-help").hasContent(usage);
    }
}
