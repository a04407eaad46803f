// SPDX-License-Identifier: Apache-2.0
package io.verbena.architecture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Whether links inside the checkout lead somewhere: to a file, and to a heading of it. */
final class DocumentLinks {
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern ELSEWHERE = Pattern.compile("[a-z]+:.*");

    private DocumentLinks() {}

    /** {@return what is wrong with the links of a document} */
    static List<String> complaints(Document document) throws IOException {
        List<String> found = new ArrayList<>();
        for (Document.Line line : document.prose()) {
            Matcher link = LINK.matcher(line.text());
            while (link.find()) {
                String what = complaint(document, link.group(1));
                if (!what.isEmpty()) {
                    found.add(document.complaint(line, link.group(1) + ": " + what));
                }
            }
        }
        return found;
    }

    private static String complaint(Document document, String link) throws IOException {
        if (ELSEWHERE.matcher(link).matches()) {
            return "";
        }
        int hash = link.indexOf('#');
        String path = hash < 0 ? link : link.substring(0, hash);
        Path target = document.file();
        if (!path.isEmpty()) {
            target = document.file().resolveSibling(path).normalize();
            if (!Files.exists(target)) {
                return "there is no such file";
            }
        }
        if (hash < 0 || !target.toString().endsWith(".md")) {
            return "";
        }
        Document linked = path.isEmpty() ? document : Document.read(target);
        return linked.anchors().contains(link.substring(hash + 1))
                ? ""
                : "there is no such heading in " + linked;
    }
}
