// SPDX-License-Identifier: Apache-2.0
package io.verbena.protoc;

import java.util.Locale;
import java.util.Set;
import javax.lang.model.SourceVersion;

/** Turns names of {@code .proto} files into Java names. */
final class Words {
    private Words() {}

    /** {@return a name in lower camel case, as protoc forms it; keywords get an underscore} */
    static String method(String name) {
        StringBuilder text = new StringBuilder();
        boolean isUpper = false;
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c == '_') {
                isUpper = true;
                continue;
            }
            if (text.isEmpty()) {
                text.append(Character.toLowerCase(c));
            } else {
                text.append(isUpper ? Character.toUpperCase(c) : c);
            }
            isUpper = Character.isDigit(c);
        }
        if (text.isEmpty() || Character.isDigit(text.charAt(0))) {
            text.insert(0, '_');
        }
        return SourceVersion.isKeyword(text) ? text.append('_').toString() : text.toString();
    }

    /** {@return a name in upper case, its words separated by underscores} */
    static String constant(String name) {
        return name.replaceAll("([a-z0-9])([A-Z])", "$1_$2")
                .replaceAll("([A-Z])([A-Z][a-z])", "$1_$2")
                .toUpperCase(Locale.ROOT);
    }

    /** {@return a name with as many underscores as make it new, and adds it} */
    static String unused(String name, Set<String> used) {
        String candidate = name;
        while (!used.add(candidate)) {
            candidate += "_";
        }
        return candidate;
    }
}
