// SPDX-License-Identifier: Apache-2.0

package io.verbena.examples.tutorial;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The programs of docs/tutorial print what its chapters say. */
final class TutorialTest {
    private static final Path TUTORIAL = Path.of("../docs/tutorial");
    private static final Path CHINESE = Path.of("../docs/zh-CN/tutorial");

    private static List<String> run(Consumer<PrintStream> program) {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        program.accept(new PrintStream(printed, true, StandardCharsets.UTF_8));
        return printed.toString(StandardCharsets.UTF_8).lines().toList();
    }

    /** In both languages, each line of output in its order. */
    private static void shouldBePrintedIn(String chapter, List<String> lines) throws IOException {
        for (Path folder : List.of(TUTORIAL, CHINESE)) {
            assertThat(Files.readString(folder.resolve(chapter)))
                    .as("%s", folder.resolve(chapter))
                    .contains("```\n" + String.join("\n", lines) + "\n```");
        }
    }

    @Test
    void shouldShowTheFourObjects() throws IOException {
        shouldBePrintedIn("1-model.md", run(FourObjects::run));
    }

    @Test
    void shouldGoThroughTheStates() throws IOException {
        shouldBePrintedIn("2-send-receive.md", run(QueuePairStates::run));
    }

    @Test
    void shouldFillTheQueueWithUnsignaledRequests() throws IOException {
        shouldBePrintedIn("3-write-read.md", run(UnsignaledWrites::run));
    }

    /** How many messages it takes, and when they are acknowledged, differs from run to run. */
    @Test
    void shouldShowWindowAndPool() {
        assertThat(run(WindowAndPool::run))
                .hasSize(6)
                .contains("the service has 1048576 bytes")
                .anyMatch(line -> line.matches("window: \\d+ messages"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1-model.md",
                "2-send-receive.md",
                "3-write-read.md",
                "4-connections.md",
                "5-flow.md",
                "6-rpc.md"
            })
    void shouldHaveTheChapterInBothLanguages(String chapter) {
        assertThat(TUTORIAL.resolve(chapter)).exists();
        assertThat(CHINESE.resolve(chapter)).exists();
    }
}
