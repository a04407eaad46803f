// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The launcher in a checkout where nothing is built, and nothing can be. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class LauncherHelpTest {
    @TempDir private Path folder;
    private Path checkout;

    @BeforeEach
    void copyTheLauncher() throws IOException {
        checkout = Files.createDirectory(folder.resolve("a path with spaces"));
        Path root = Path.of("..");
        try (Stream<Path> scripts = Files.walk(root.resolve("scripts"))) {
            for (Path script : scripts.toList()) {
                Files.copy(script, checkout.resolve(root.relativize(script).toString()));
            }
        }
        Files.copy(root.resolve("verbena"), checkout.resolve("verbena"));
    }

    /** {@return what it printed, errors included} */
    private String run(int status, String... arguments) throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of("sh", checkout.resolve("verbena").toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        // this is another checkout than the one whose build may be running the test
        builder.environment().remove("VERBENA_BUILDING");
        Process process = builder.start();
        String printed =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(10, TimeUnit.SECONDS)).as(printed).isTrue();
        assertThat(process.exitValue()).as(printed).isEqualTo(status);
        return printed;
    }

    @Test
    void shouldPrintHelpWithoutBuilding() throws IOException, InterruptedException {
        assertThat(run(0, "--help")).startsWith("Usage: verbena ").contains("compare");
        assertThat(run(0, "help", "press")).startsWith("Usage: verbena press ");
        assertThat(run(0, "bench", "stream", "-h")).startsWith("Usage: verbena bench stream ");
        assertThat(run(0, "bench", "send_lat", "-s", "64", "--help"))
                .startsWith("Usage: verbena bench ");
        assertThat(run(0, "compare", "--help")).startsWith("Usage: verbena compare ");
        assertThat(run(0, "test", "--help")).startsWith("Usage: verbena test ");
        assertThat(run(0, "lab", "--help")).startsWith("Usage: ./verbena lab ");
        assertThat(checkout.resolve("target")).doesNotExist();
    }

    @Test
    void shouldRejectAnUnknownCommandWithoutBuilding() throws IOException, InterruptedException {
        assertThat(run(2, "help", "nonsense")).startsWith("verbena: nonsense: no such command");
        assertThat(run(2, "nonsense", "--help")).contains("Usage: verbena ");
        assertThat(checkout.resolve("target")).doesNotExist();
    }

    /** A file in the place of the folder; permissions do not keep root from writing. */
    @Test
    void shouldSayThatItCannotBuild() throws IOException, InterruptedException {
        Files.createFile(checkout.resolve("target"));

        assertThat(run(1, "devices")).contains("cannot write to ").contains("read-only");
    }
}
