// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The headers of a request or a response, in their order. Filled by one thread, then read by any.
 */
final class HttpHeaders {
    private final List<String> names = new ArrayList<>();
    private final List<String> values = new ArrayList<>();

    void add(String name, String value) {
        names.add(name.toLowerCase(Locale.ROOT));
        values.add(value);
    }

    int count() {
        return names.size();
    }

    /**
     * {@return the first value of a header}
     *
     * @param name the name, in lower case
     */
    Optional<String> first(String name) {
        int at = names.indexOf(name);
        return at < 0 ? Optional.empty() : Optional.of(values.get(at));
    }

    /**
     * {@return all values of a header}
     *
     * @param name the name, in lower case
     */
    List<String> all(String name) {
        if (!names.contains(name)) {
            return List.of();
        }
        List<String> found = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            if (names.get(i).equals(name)) {
                found.add(values.get(i));
            }
        }
        return found;
    }

    /** {@return all headers; those that are repeated are one value with commas} */
    Map<String, String> joined() {
        Map<String, String> all = new LinkedHashMap<>();
        for (int i = 0; i < names.size(); i++) {
            all.merge(names.get(i), values.get(i), (first, next) -> first + "," + next);
        }
        return all;
    }

    /**
     * {@return whether the sender wants to keep the connection}
     *
     * @param minorVersion 0 for HTTP/1.0, 1 for HTTP/1.1 and later
     */
    boolean isKeepAlive(int minorVersion) {
        return !hasWord("connection", "close")
                && (minorVersion > 0 || hasWord("connection", "keep-alive"));
    }

    /**
     * {@return whether a list-valued header contains a word}
     *
     * @param name the name, in lower case
     * @param word the word to look for
     */
    boolean hasWord(String name, String word) {
        for (String value : all(name)) {
            for (String item : value.split(",", -1)) {
                if (item.strip().equalsIgnoreCase(word)) {
                    return true;
                }
            }
        }
        return false;
    }
}
