// SPDX-License-Identifier: Apache-2.0

package io.verbena.examples;

import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.WorkCompletionStatus;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** Completion statuses as the tutorial prints them: {@code 5 (Work Request Flushed Error)}. */
final class StatusText {
    private StatusText() {}

    static String of(WorkCompletion completion) {
        return completion.statusCode() + " (" + name(completion.status()) + ")";
    }

    private static String name(WorkCompletionStatus status) {
        if (status == WorkCompletionStatus.SUCCESS) {
            return "success";
        }
        return Arrays.stream(status.name().split("_"))
                .map(word -> word.charAt(0) + word.substring(1).toLowerCase(Locale.ROOT))
                .collect(Collectors.joining(" ", "", " Error"));
    }
}
