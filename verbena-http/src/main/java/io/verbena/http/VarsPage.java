// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/** All numbers, or with {@code /vars/a*;b} those whose names match. */
final class VarsPage implements Page {
    private final Variables variables;

    VarsPage(Variables variables) {
        this.variables = variables;
    }

    @Override
    public String name() {
        return "vars";
    }

    @Override
    public String description() {
        return "all numbers; /vars/PATTERN with * and ?, several with ;";
    }

    @Override
    public PageContent show(PageRequest request) throws RefusedRequestException {
        Predicate<String> wanted = pattern(request.below());
        Map<String, Object> found = new TreeMap<>();
        for (Variable variable : variables.read(request.server())) {
            if (wanted.test(variable.name())) {
                found.put(variable.name(), variable.value());
            }
        }
        if (found.isEmpty()) {
            throw PageRequest.notFound("variable: unknown (expected: a name listed by /vars)");
        }
        return new Document("vars").fields("", found);
    }

    private static Predicate<String> pattern(String text) {
        if (text.isEmpty()) {
            return _ -> true;
        }
        Predicate<String> any = _ -> false;
        for (String alternative : text.split("[;,]", -1)) {
            any = any.or(name -> matches(alternative, name));
        }
        return any;
    }

    /**
     * Two cursors and one backtrack position: the time is bounded by the product of both lengths.
     */
    static boolean matches(String pattern, String name) {
        int p = 0;
        int n = 0;
        int star = -1;
        int afterStar = 0;
        while (n < name.length()) {
            if (p < pattern.length() && pattern.charAt(p) == '*') {
                star = p++;
                afterStar = n;
            } else if (p < pattern.length()
                    && (pattern.charAt(p) == '?' || pattern.charAt(p) == name.charAt(n))) {
                p++;
                n++;
            } else if (star >= 0) {
                p = star + 1;
                n = ++afterStar;
            } else {
                return false;
            }
        }
        while (p < pattern.length() && pattern.charAt(p) == '*') {
            p++;
        }
        return p == pattern.length();
    }
}
