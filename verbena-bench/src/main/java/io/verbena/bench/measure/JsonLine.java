// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.measure;

import java.util.Locale;
import java.util.OptionalLong;

/** Builds a JSON object, on one line. */
public final class JsonLine {
    private final StringBuilder text = new StringBuilder("{");

    /** An object without members. */
    public JsonLine() {}

    /**
     * Adds a text.
     *
     * @param name the member's name
     * @param value its value
     * @return this
     */
    public JsonLine text(String name, String value) {
        StringBuilder quoted = new StringBuilder("\"");
        value.chars().forEach(c -> quoted.append(escape((char) c)));
        return raw(name, quoted.append('"').toString());
    }

    /**
     * Adds a whole number.
     *
     * @param name the member's name
     * @param value its value
     * @return this
     */
    public JsonLine whole(String name, long value) {
        return raw(name, Long.toString(value));
    }

    /**
     * Adds a whole number, or null.
     *
     * @param name the member's name
     * @param value its value
     * @return this
     */
    public JsonLine whole(String name, OptionalLong value) {
        return raw(name, value.isPresent() ? Long.toString(value.getAsLong()) : "null");
    }

    /**
     * Adds a number with four decimals; null if it is not finite.
     *
     * @param name the member's name
     * @param value its value
     * @return this
     */
    public JsonLine number(String name, double value) {
        return raw(
                name, Double.isFinite(value) ? String.format(Locale.ROOT, "%.4f", value) : "null");
    }

    private JsonLine raw(String name, String value) {
        text.append(text.length() == 1 ? "" : ", ");
        text.append('"').append(name).append("\": ").append(value);
        return this;
    }

    private static String escape(char c) {
        if (c == '"' || c == '\\') {
            return "\\" + c;
        }
        return c < ' ' ? String.format(Locale.ROOT, "\\u%04x", (int) c) : String.valueOf(c);
    }

    @Override
    public String toString() {
        return text + "}";
    }
}
