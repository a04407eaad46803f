// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Error texts for people, from brpc's: {@code [E111]... [R1][E112]...}. The first failure is the
 * cause and comes first; what the other tries met follows, each text once.
 */
final class ErrorText {
    /** In front of each failure: the number of the try, unless it is the first, and the code. */
    private static final Pattern TRY = Pattern.compile("(?:^| )(\\[R\\d+])?\\[E(\\d+)]");

    /** What servers add: where they are, and the code again. */
    private static final Pattern SERVER = Pattern.compile("^(\\[[^\\]]*:\\d+])\\[E\\d+]");

    private ErrorText() {}

    /**
     * {@return an error text that begins with the name and number of its cause}
     *
     * @param code the code of the whole failure, for a text without brpc's prefixes
     * @param text brpc's text, or any other; may be null
     */
    static String readable(int code, String text) {
        String given = text == null ? "" : text.strip();
        List<String> failures = failures(given);
        if (failures.isEmpty()) {
            return given.isEmpty() ? name(code) : name(code) + ": " + given;
        }
        List<String> later = new ArrayList<>();
        for (String failure : failures.subList(1, failures.size())) {
            if (!failure.equals(failures.getFirst()) && !later.contains(failure)) {
                later.add(failure);
            }
        }
        if (failures.size() == 1) {
            return failures.getFirst();
        }
        String tries = failures.getFirst() + " (tried " + failures.size() + " times";
        return later.isEmpty() ? tries + ")" : tries + ", then " + String.join("; ", later) + ")";
    }

    /** {@return the failures of all tries, in order; none if the text is not brpc's} */
    private static List<String> failures(String text) {
        List<String> failures = new ArrayList<>();
        Matcher tries = TRY.matcher(text);
        if (!tries.lookingAt()) {
            return failures;
        }
        tries.reset();
        String code = "";
        int begin = 0;
        while (tries.find()) {
            // a second code without a try is part of what a server said
            if (!failures.isEmpty() || !code.isEmpty()) {
                if (tries.group(1) == null) {
                    continue;
                }
                failures.add(failure(code, text.substring(begin, tries.start())));
            }
            code = tries.group(2);
            begin = tries.end();
        }
        failures.add(failure(code, text.substring(begin)));
        return failures;
    }

    private static String failure(String code, String detail) {
        Matcher server = SERVER.matcher(detail);
        String said =
                server.find() ? detail.substring(server.end()) + " " + server.group(1) : detail;
        return name(Integer.parseInt(code)) + ": " + said.strip();
    }

    private static String name(int code) {
        return RpcError.of(code).map(error -> error + " (" + code + ")").orElse("error " + code);
    }
}
