// SPDX-License-Identifier: Apache-2.0
package io.verbena.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** That the places which list the modules to publish agree with what the modules say themselves. */
final class PublishedModulesTest {
    private static final String BOM = "verbena-bom";
    private static final String ARTIFACT = "<artifactId>(.*?)</artifactId>";

    private final String parent = read("pom.xml");
    private final Set<String> published = new TreeSet<>();
    private final Set<String> others = new TreeSet<>();

    PublishedModulesTest() throws IOException {
        for (String module : found(parent, "<module>(.*?)</module>")) {
            boolean isSkipped =
                    read(module + "/pom.xml")
                            .contains("<maven.deploy.skip>true</maven.deploy.skip>");
            (isSkipped ? others : published).add(module);
        }
        published.remove(BOM);
    }

    @Test
    void shouldAllBeInTheBom() throws IOException {
        String managed = read(BOM + "/pom.xml").split("<dependencyManagement>", 2)[1];

        assertThat(found(managed.split("</dependencyManagement>", 2)[0], ARTIFACT))
                .isEqualTo(published);
    }

    @Test
    void shouldNotUploadTheOthers() {
        assertThat(found(parent, "<excludeArtifact>(.*?)</excludeArtifact>")).isEqualTo(others);
    }

    private static Set<String> found(String text, String pattern) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map((MatchResult match) -> match.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String read(String file) throws IOException {
        return Files.readString(Document.ROOT.resolve(file));
    }
}
