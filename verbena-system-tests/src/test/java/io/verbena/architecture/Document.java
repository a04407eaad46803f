// SPDX-License-Identifier: Apache-2.0
package io.verbena.architecture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** A Markdown file of the checkout, line by line. */
final class Document {
    /** The root of the checkout: tests run in the folder of their module. */
    static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private static final String FENCE = "```";

    /** One line. Numbers count from 1; code is what stands in a fenced block, fences included. */
    record Line(int number, String text, boolean isCode) {}

    private final Path file;
    private final List<Line> lines;

    private Document(Path file, List<String> texts) {
        this.file = file;
        this.lines = lines(texts);
    }

    private static List<Line> lines(List<String> texts) {
        List<Line> result = new ArrayList<>();
        boolean isCode = false;
        for (String text : texts) {
            boolean isFence = text.strip().startsWith(FENCE);
            result.add(new Line(result.size() + 1, text, isCode || isFence));
            isCode ^= isFence;
        }
        return List.copyOf(result);
    }

    static Document read(Path file) throws IOException {
        return new Document(file, Files.readAllLines(file));
    }

    /** {@return a document that is no file, to see what is wrong with it} */
    static Document invented(String... texts) {
        return new Document(ROOT.resolve("docs").resolve("invented.md"), List.of(texts));
    }

    /** {@return the files at the root, those of the samples, and all of docs} */
    static List<Document> all() throws IOException {
        List<Document> documents = new ArrayList<>();
        documents.add(read(ROOT.resolve("README.md")));
        documents.add(read(ROOT.resolve("README.zh-CN.md")));
        documents.add(read(ROOT.resolve("samples/README.md")));
        documents.add(read(ROOT.resolve("CONTRIBUTING.md")));
        try (Stream<Path> files = Files.walk(ROOT.resolve("docs"))) {
            for (Path each : files.filter(path -> path.toString().endsWith(".md")).toList()) {
                documents.add(read(each));
            }
        }
        return List.copyOf(documents);
    }

    Path file() {
        return file;
    }

    List<Line> lines() {
        return lines;
    }

    /** {@return the lines outside fenced blocks} */
    List<Line> prose() {
        return lines.stream().filter(line -> !line.isCode()).toList();
    }

    /** {@return the text of the fenced block that ends last before a line} */
    String blockBefore(Line line) {
        int end = line.number() - 2;
        while (end >= 0 && !lines.get(end).isCode()) {
            end--;
        }
        int start = end;
        while (start > 0 && lines.get(start - 1).isCode()) {
            start--;
        }
        return String.join(
                "\n", lines.subList(Math.max(0, start), end + 1).stream().map(Line::text).toList());
    }

    /** {@return what links to a heading of this document have behind the {@code #}} */
    Set<String> anchors() {
        Set<String> result = new TreeSet<>();
        for (Line line : prose()) {
            if (line.text().startsWith("#")) {
                result.add(
                        line.text()
                                .replaceFirst("^#+\\s*", "")
                                .strip()
                                .toLowerCase(Locale.ROOT)
                                .replaceAll("[^\\p{L}\\p{N} _-]", "")
                                .replace(' ', '-'));
            }
        }
        return result;
    }

    /** {@return a complaint that says where} */
    String complaint(Line line, String what) {
        return this + ":" + line.number() + ": " + what;
    }

    /** {@return its path in the checkout} */
    @Override
    public String toString() {
        return ROOT.relativize(file).toString();
    }
}
