// SPDX-License-Identifier: Apache-2.0
package io.verbena.protoc;

import java.util.List;

/** What the generated code says about methods. */
final class Docs {
    private Docs() {}

    /** {@return the comment of a method, or a sentence with its name} */
    static List<String> of(MethodNames method) {
        List<String> comment = Comments.of(method.descriptor());
        return comment.isEmpty()
                ? List.of("The method {@code " + method.descriptor().getName() + "}.")
                : comment;
    }

    /** {@return a sentence about what a method sends and gets} */
    static String form(MethodNames method) {
        boolean isMany = method.descriptor().isClientStreaming();
        boolean isAnsweredByMany = method.descriptor().isServerStreaming();
        String name = "{@code " + method.descriptor().getName() + "}";
        if (!isMany && !isAnsweredByMany) {
            return name + ": one request, one response.";
        }
        return name
                + ": "
                + (isMany ? "many requests, " : "one request, ")
                + (isAnsweredByMany ? "many responses." : "one response.");
    }
}
