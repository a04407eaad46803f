// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.call;

import java.util.regex.Pattern;

/** JSON for a terminal. */
final class JsonText {
    /**
     * What protobuf escapes for web pages, with the backslashes in front: an escaped backslash is
     * not the beginning of an escape.
     */
    private static final Pattern FOR_PAGES =
            Pattern.compile("(?<!\\\\)((?:\\\\\\\\)*)\\\\u(003c|003d|003e|0026|0027)");

    private JsonText() {}

    /** {@return the same value with {@code < = > & '} written as themselves} */
    static String plain(String json) {
        return FOR_PAGES
                .matcher(json)
                .replaceAll(
                        found ->
                                found.group(1).replace("\\", "\\\\")
                                        + (char) Integer.parseInt(found.group(2), 16));
    }
}
