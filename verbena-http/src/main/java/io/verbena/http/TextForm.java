// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import java.util.List;

/** A document for terminals and scripts: {@code name: value}, and columns. */
final class TextForm {
    private TextForm() {}

    static String render(Document document) {
        StringBuilder text = new StringBuilder();
        for (Document.Block block : document.blocks()) {
            if (!text.isEmpty()) {
                text.append('\n');
            }
            switch (block) {
                case Document.Fields fields -> {
                    heading(text, fields.name());
                    fields.values()
                            .forEach(
                                    (name, value) ->
                                            text.append(oneLine(name))
                                                    .append(": ")
                                                    .append(oneLine(value))
                                                    .append('\n'));
                }
                case Document.Table table -> {
                    heading(text, table.name());
                    table(text, table);
                }
            }
        }
        return text.toString();
    }

    private static void heading(StringBuilder text, String name) {
        if (!name.isEmpty()) {
            text.append(name).append('\n');
        }
    }

    private static void table(StringBuilder text, Document.Table table) {
        int[] widths = new int[table.columns().size()];
        widen(widths, table.columns());
        table.rows().forEach(row -> widen(widths, row));
        line(text, widths, table.columns());
        table.rows().forEach(row -> line(text, widths, row));
    }

    private static void widen(int[] widths, List<?> row) {
        for (int i = 0; i < widths.length; i++) {
            widths[i] = Math.max(widths[i], oneLine(row.get(i)).length());
        }
    }

    private static void line(StringBuilder text, int[] widths, List<?> row) {
        int start = text.length();
        for (int i = 0; i < widths.length; i++) {
            String cell = oneLine(row.get(i));
            text.append(cell).repeat(' ', widths[i] - cell.length() + 2);
        }
        while (text.length() > start && text.charAt(text.length() - 1) == ' ') {
            text.setLength(text.length() - 1);
        }
        text.append('\n');
    }

    /** A value that contains a line break would look like two. */
    private static String oneLine(Object value) {
        String text = value.toString();
        return text.indexOf('\n') < 0 && text.indexOf('\r') < 0
                ? text
                : text.replace("\r", "\\r").replace("\n", "\\n");
    }
}
