// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** The pages from which the launcher prints help when nothing is built. */
final class HelpPagesTest {
    private static final Path PAGES = Path.of("..", "scripts", "help");

    private static Map<String, String> pages() {
        Map<String, String> pages = new TreeMap<>();
        CommandLine program = Main.commandLine();
        pages.put("verbena.txt", program.getUsageMessage(Ansi.OFF));
        add(pages, "", program);
        return pages;
    }

    private static void add(Map<String, String> pages, String prefix, CommandLine command) {
        command.getSubcommands()
                .forEach(
                        (name, sub) -> {
                            boolean isHelp = name.equals("help");
                            if (!isHelp && !sub.getCommandSpec().usageMessage().hidden()) {
                                pages.put(prefix + name + ".txt", sub.getUsageMessage(Ansi.OFF));
                                add(pages, prefix + name + "-", sub);
                            }
                        });
    }

    @Test
    void shouldBeWhatTheCommandsPrint() throws IOException {
        Map<String, String> pages = pages();
        if (Boolean.getBoolean("verbena.help.write")) {
            for (var page : pages.entrySet()) {
                Files.writeString(PAGES.resolve(page.getKey()), page.getValue());
            }
        }

        for (var page : pages.entrySet()) {
            assertThat(PAGES.resolve(page.getKey()))
                    .as("run scripts/update-help")
                    .hasContent(page.getValue());
        }
    }

    @Test
    void shouldHaveNoPageOfACommandThatIsGone() throws IOException {
        try (Stream<Path> files = Files.list(PAGES)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .as("run scripts/update-help")
                    .isSubsetOf(
                            Stream.concat(
                                            pages().keySet().stream(),
                                            Stream.of("compare.txt", "test.txt"))
                                    .toList());
        }
    }
}
