// SPDX-License-Identifier: Apache-2.0

package io.verbena.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.WorkCompletion;
import java.lang.foreign.Arena;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class StatusTextTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0 (success)",
        "5, 5 (Work Request Flushed Error)",
        "12, 12 (Retry Exceeded Error)",
        "99, 99 (Unrecognized Error)"
    })
    void shouldSayNumberAndName(int code, String text) {
        try (Arena arena = Arena.ofConfined()) {
            WorkCompletion completion = WorkCompletion.allocate(arena, 1);
            completion.set(1, code, 0, 0, 0, 1, 0);

            assertThat(StatusText.of(completion)).isEqualTo(text);
        }
    }
}
