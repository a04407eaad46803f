// SPDX-License-Identifier: Apache-2.0
package io.verbena.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.architecture.Document.Line;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** That what documents quote is in the files they name, and that the BOM is complete. */
final class ExcerptsTest {
    private static final Pattern QUOTE =
            Pattern.compile("```(?:xml|properties|groovy|java excerpt) (\\S+)");

    static List<Document> documents() throws IOException {
        return Document.all();
    }

    @ParameterizedTest
    @MethodSource("documents")
    void shouldQuoteFilesAsTheyAre(Document document) throws IOException {
        Path source = null;
        List<String> quoted = new ArrayList<>();
        for (Line line : document.lines()) {
            Matcher begin = QUOTE.matcher(line.text().strip());
            if (begin.matches()) {
                source = Document.ROOT.resolve(begin.group(1));
            } else if (source != null && line.text().strip().equals("```")) {
                assertThat(unindented(Files.readAllLines(source)))
                        .as("%s, line %d", document, line.number())
                        .contains(unindented(quoted));
                quoted.clear();
                source = null;
            } else if (source != null) {
                quoted.add(line.text());
            }
        }
    }

    private static String unindented(List<String> lines) {
        return lines.stream().map(String::strip).collect(Collectors.joining("\n"));
    }

    @Test
    void shouldHaveEveryPublishedModuleInTheBom() throws IOException {
        Set<String> published;
        try (Stream<Path> folders = Files.list(Document.ROOT)) {
            published =
                    folders.filter(folder -> Files.exists(folder.resolve("pom.xml")))
                            .filter(ExcerptsTest::isPublished)
                            .map(folder -> folder.getFileName().toString())
                            .filter(name -> !name.equals("verbena-bom"))
                            .collect(Collectors.toSet());
        }
        String bom = Files.readString(Document.ROOT.resolve("verbena-bom/pom.xml"));
        Matcher listed =
                Pattern.compile("<artifactId>(verbena-(?!bom)[^<]+)</artifactId>").matcher(bom);

        assertThat(listed.results().map(found -> found.group(1)))
                .containsExactlyInAnyOrderElementsOf(published);
        assertThat(bom).contains("<version>" + version() + "</version>");
    }

    private static boolean isPublished(Path module) {
        try {
            return !Files.readString(module.resolve("pom.xml"))
                    .contains("<maven.deploy.skip>true</maven.deploy.skip>");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String version() throws IOException {
        Matcher version =
                Pattern.compile("<artifactId>verbena-parent</artifactId>\\s*<version>([^<]+)<")
                        .matcher(Files.readString(Document.ROOT.resolve("pom.xml")));
        assertThat(version.find()).isTrue();
        return version.group(1);
    }
}
