// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads a JSON object without nesting, strictly: anything left over fails. */
public final class FlatJson {
    private static final String TEXT =
            "\"((?:[^\"\\\\\\x00-\\x1f]|\\\\[\"\\\\/bfnrt]|\\\\u[0-9a-f]{4})*)\"";
    private static final String NUMBER = "-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?";
    private static final Pattern MEMBER =
            Pattern.compile(
                    "\\s*"
                            + TEXT
                            + "\\s*:\\s*(?:"
                            + TEXT
                            + "|("
                            + NUMBER
                            + "|null|true|false))\\s*");

    private FlatJson() {}

    /**
     * {@return the members}
     *
     * @param text the object
     */
    public static Map<String, String> parse(String text) {
        String line = text.strip();
        if (!line.startsWith("{") || !line.endsWith("}")) {
            throw new IllegalArgumentException("not an object: " + text);
        }
        Map<String, String> members = new LinkedHashMap<>();
        Matcher matcher = MEMBER.matcher(line).region(1, line.length() - 1);
        int at = 1;
        while (at < line.length() - 1) {
            if (!matcher.region(at, line.length() - 1).lookingAt()) {
                throw new IllegalArgumentException("not a member at " + at + ": " + text);
            }
            String value = matcher.group(2) == null ? matcher.group(3) : unescape(matcher.group(2));
            if (members.put(unescape(matcher.group(1)), value) != null) {
                throw new IllegalArgumentException("twice: " + matcher.group(1));
            }
            at = matcher.end();
            if (at < line.length() - 1 && line.charAt(at++) != ',') {
                throw new IllegalArgumentException("no comma at " + (at - 1) + ": " + text);
            }
        }
        return members;
    }

    private static String unescape(String text) {
        return text.replaceAll("\\\\([\"\\\\])", "$1");
    }
}
