// SPDX-License-Identifier: Apache-2.0
package io.verbena.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** No two types in files of their own share a simple name: a reader would meet both. */
final class SimpleNamesTest {
    private static final Set<String> NOT_TYPES = Set.of("package-info", "module-info");

    /** Simple names with the folders of those that have them, modules' folders first. */
    private static Map<String, Set<String>> foldersByName() throws IOException {
        Map<String, Set<String>> folders = new TreeMap<>();
        for (Path sources : mainSources()) {
            try (Stream<Path> files = Files.walk(sources)) {
                files.filter(file -> file.toString().endsWith(".java"))
                        .forEach(
                                file ->
                                        folders.computeIfAbsent(
                                                        nameOf(file), name -> new TreeSet<>())
                                                .add(folderOf(file)));
            }
        }
        folders.keySet().removeAll(NOT_TYPES);
        return folders;
    }

    private static Set<Path> mainSources() throws IOException {
        try (Stream<Path> folders = Files.list(Document.ROOT)) {
            return folders.map(folder -> folder.resolve("src/main/java"))
                    .filter(Files::isDirectory)
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private static String nameOf(Path file) {
        String name = file.getFileName().toString();
        return name.substring(0, name.length() - ".java".length());
    }

    private static String folderOf(Path file) {
        return Document.ROOT.relativize(file.getParent()).toString();
    }

    @Test
    void shouldFindTheTypesOfAllModules() throws IOException {
        Map<String, Set<String>> folders = foldersByName();

        assertThat(folders).hasSizeGreaterThan(1000).containsKeys("QueuePair", "Channel");
        assertThat(folders.get("NumberedSends"))
                .containsExactly("verbena-socket/src/main/java/io/verbena/socket");
    }

    @Test
    void shouldGiveEachTypeANameOfItsOwn() throws IOException {
        Map<String, Set<String>> recurring = foldersByName();
        recurring.values().removeIf(folders -> folders.size() == 1);

        assertThat(recurring).as("types that share a simple name").isEmpty();
    }
}
