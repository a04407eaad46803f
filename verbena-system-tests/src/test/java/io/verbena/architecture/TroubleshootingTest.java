// SPDX-License-Identifier: Apache-2.0
package io.verbena.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpc.RpcError;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** That the page on troubleshooting quotes messages as the code has them, and every error code. */
final class TroubleshootingTest {
    private static final Path PAGE = Document.ROOT.resolve("docs/guide/troubleshooting.md");

    /** What is put together at run time, or comes from the JVM. */
    private static final Set<String> COMPOSED =
            Set.of(
                    "ibv_reg_mr failed",
                    "port 1 state",
                    "DOWN (expected",
                    "perftest printed Infinity",
                    "no JDK 25 found",
                    "A restricted method in java.lang.foreign");

    private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");
    private static final Pattern CODE = Pattern.compile("^[A-Z0-9]+ \\(\\d+\\)");

    /** Shorter ones would be found anywhere. */
    private static final int SHORTEST = 6;

    @Test
    void shouldHaveEveryErrorCode() throws IOException {
        String page = Files.readString(PAGE);

        assertThat(RpcError.values())
                .allSatisfy(
                        error ->
                                assertThat(page)
                                        .contains(error.name() + " (" + error.code() + ")"));
    }

    @Test
    void shouldQuoteMessagesOfTheCode() throws IOException {
        String sources = sources();
        List<String> quotes =
                Files.readAllLines(PAGE).stream()
                        .filter(line -> line.startsWith("| ") && !line.startsWith("| ---"))
                        .flatMap(line -> QUOTED.matcher(line.split("\\|", -1)[1]).results())
                        .map(match -> CODE.matcher(match.group(1)).replaceFirst(""))
                        .flatMap(quote -> Stream.of(quote.split("…|: ", -1)))
                        .map(String::strip)
                        .filter(part -> part.length() >= SHORTEST && !COMPOSED.contains(part))
                        .toList();

        assertThat(quotes).isNotEmpty();
        assertThat(quotes).filteredOn(part -> !sources.contains(part)).isEmpty();
    }

    /** {@return all programs and scripts, with texts that go over several lines joined} */
    private static String sources() throws IOException {
        StringBuilder all = new StringBuilder();
        try (Stream<Path> folders = Files.list(Document.ROOT)) {
            folders.map(folder -> folder.resolve("src/main/java"))
                    .filter(Files::isDirectory)
                    .forEach(folder -> append(folder, all));
        }
        append(Document.ROOT.resolve("scripts"), all);
        return all.toString().replaceAll("\"\\s*\\+\\s*\"", "");
    }

    private static void append(Path folder, StringBuilder all) {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                all.append(Files.readString(file));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
