// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

/** Names in generated code. */
final class JavaNames {
    private JavaNames() {}

    /** {@return the Java name of a method, as protoc's own generator forms it} */
    static String ofMethod(String name) {
        StringBuilder text = new StringBuilder();
        boolean isUpper = false;
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c == '_') {
                isUpper = true;
            } else {
                boolean isFirst = text.isEmpty();
                text.append(
                        isFirst
                                ? Character.toLowerCase(c)
                                : isUpper ? Character.toUpperCase(c) : c);
                isUpper = Character.isDigit(c);
            }
        }
        return text.toString();
    }
}
