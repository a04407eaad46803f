// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;

/**
 * A document for programs: an object with a member for each part. Names and values are an object, a
 * table is an array of objects. The members of a part without a name belong to the outer object.
 */
final class JsonForm {
    private JsonForm() {}

    static String render(Document document) {
        StringWriter text = new StringWriter();
        try (JsonWriter json = new JsonWriter(text)) {
            json.beginObject();
            for (Document.Block block : document.blocks()) {
                block(json, block);
            }
            json.endObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.append('\n').toString();
    }

    private static void block(JsonWriter json, Document.Block block) throws IOException {
        switch (block) {
            case Document.Fields fields -> {
                boolean isPart = !fields.name().isEmpty();
                if (isPart) {
                    json.name(fields.name()).beginObject();
                }
                for (var field : fields.values().entrySet()) {
                    value(json.name(field.getKey()), field.getValue());
                }
                if (isPart) {
                    json.endObject();
                }
            }
            case Document.Table table -> {
                json.name(table.name().isEmpty() ? "rows" : table.name()).beginArray();
                for (List<Object> row : table.rows()) {
                    row(json, table.columns(), row);
                }
                json.endArray();
            }
        }
    }

    private static void row(JsonWriter json, List<String> columns, List<Object> row)
            throws IOException {
        json.beginObject();
        for (int i = 0; i < columns.size(); i++) {
            value(json.name(columns.get(i)), row.get(i));
        }
        json.endObject();
    }

    private static void value(JsonWriter json, Object value) throws IOException {
        switch (value) {
            case Number number -> json.value(number);
            case Boolean flag -> json.value(flag);
            default -> json.value(value.toString());
        }
    }
}
