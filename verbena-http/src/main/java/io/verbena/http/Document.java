// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Names and values, and tables, that can be shown as text, HTML or JSON. Filled by one thread. */
final class Document implements PageContent {
    /** A part of it. */
    sealed interface Block {}

    /** Names and values. */
    record Fields(String name, Map<String, Object> values) implements Block {}

    /** Rows with one value per column. */
    record Table(String name, List<String> columns, List<List<Object>> rows) implements Block {}

    /** A value that links to another page; in text and JSON just its text. */
    record Link(String text, String path) {
        @Override
        public String toString() {
            return text;
        }
    }

    private final String title;
    private final List<Block> blocks = new ArrayList<>();

    Document(String title) {
        this.title = title;
    }

    Document fields(String name, Map<String, Object> values) {
        blocks.add(new Fields(name, values));
        return this;
    }

    Document table(String name, List<String> columns, List<List<Object>> rows) {
        blocks.add(new Table(name, columns, rows));
        return this;
    }

    String title() {
        return title;
    }

    List<Block> blocks() {
        return blocks;
    }
}
