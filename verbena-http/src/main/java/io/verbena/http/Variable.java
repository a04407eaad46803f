// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

/**
 * A number with a name.
 *
 * @param name the name: lower-case letters, digits and underscores
 * @param help what it is
 * @param isCounter whether it only grows
 * @param value the number
 */
record Variable(String name, String help, boolean isCounter, Number value) {
    static Variable gauge(String name, String help, Number value) {
        return new Variable(name, help, false, value);
    }

    /** {@return a name as brpc makes it: {@code test.EchoService} becomes test_echo_service} */
    static String underscored(String name) {
        StringBuilder text = new StringBuilder(name.length() + 8);
        for (int i = 0; i < name.length(); i++) {
            char next = name.charAt(i);
            if (!Character.isLetterOrDigit(next)) {
                separate(text);
                continue;
            }
            boolean isWordStart =
                    Character.isUpperCase(next)
                            && i > 0
                            && (!Character.isUpperCase(name.charAt(i - 1))
                                    || i + 1 < name.length()
                                            && Character.isLowerCase(name.charAt(i + 1)));
            if (isWordStart) {
                separate(text);
            }
            text.append(Character.toLowerCase(next));
        }
        return text.toString();
    }

    private static void separate(StringBuilder text) {
        if (!text.isEmpty() && text.charAt(text.length() - 1) != '_') {
            text.append('_');
        }
    }
}
