// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import java.util.List;

/** A document for browsers. Everything in it is escaped. */
final class HtmlForm {
    static final String STYLE =
            "body{font-family:monospace;margin:1em 2em}"
                    + "table{border-collapse:collapse}"
                    + "td,th{border:1px solid #ccc;padding:2px 8px;text-align:left}";

    private HtmlForm() {}

    static String render(Document document) {
        StringBuilder html = new StringBuilder("<!DOCTYPE html>\n<html><head><title>");
        html.append(escape(document.title()))
                .append("</title><style>")
                .append(STYLE)
                .append("</style></head><body>\n<p><a href=\"/\">pages</a></p><h1>")
                .append(escape(document.title()))
                .append("</h1>\n");
        document.blocks().forEach(block -> block(html, block));
        return html.append("</body></html>\n").toString();
    }

    private static void block(StringBuilder html, Document.Block block) {
        switch (block) {
            case Document.Fields fields -> {
                begin(html, fields.name());
                fields.values().forEach((name, value) -> row(html, "td", List.of(name, value)));
            }
            case Document.Table table -> {
                begin(html, table.name());
                row(html, "th", table.columns());
                table.rows().forEach(row -> row(html, "td", row));
            }
        }
        html.append("</table>\n");
    }

    private static void begin(StringBuilder html, String name) {
        if (!name.isEmpty()) {
            html.append("<h2>").append(escape(name)).append("</h2>");
        }
        html.append("<table>\n");
    }

    private static void row(StringBuilder html, String tag, List<?> cells) {
        html.append("<tr>");
        for (Object cell : cells) {
            html.append('<').append(tag).append('>');
            if (cell instanceof Document.Link(String text, String path)) {
                html.append("<a href=\"").append(escape(path)).append("\">");
                html.append(escape(text)).append("</a>");
            } else {
                html.append(escape(cell.toString()));
            }
            html.append("</").append(tag).append('>');
        }
        html.append("</tr>\n");
    }

    static String escape(String text) {
        StringBuilder escaped = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char next = text.charAt(i);
            switch (next) {
                case '&' -> escaped.append("&amp;");
                case '<' -> escaped.append("&lt;");
                case '>' -> escaped.append("&gt;");
                case '"' -> escaped.append("&quot;");
                case '\'' -> escaped.append("&#39;");
                default -> escaped.append(next);
            }
        }
        return escaped.toString();
    }
}
