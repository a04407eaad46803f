// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FallbackWarningsTest {
    private final FallbackWarnings warnings = new FallbackWarnings();

    @Test
    void shouldLogAReasonOnceInAWhile() {
        assertThat(warnings.admit("no device", 0)).hasValue(0);
        assertThat(warnings.admit("no device", 1)).isEmpty();
        assertThat(warnings.admit("no device", 2)).isEmpty();

        assertThat(warnings.admit("no device", FallbackWarnings.PAUSE_NS)).hasValue(2);
        assertThat(warnings.admit("no device", FallbackWarnings.PAUSE_NS + 1)).isEmpty();
    }

    @Test
    void shouldLogAnotherReasonAtOnce() {
        assertThat(warnings.admit("no device", 0)).hasValue(0);
        assertThat(warnings.admit("no device", 1)).isEmpty();

        assertThat(warnings.admit("too many", 2)).hasValue(1);
        assertThat(warnings.admit("no device", 3)).isEmpty();
    }

    /** Reasons contain what a peer says about itself, so a stranger can make up any number. */
    @Test
    void shouldNotLogAnyNumberOfReasons() {
        for (int i = 0; i < FallbackWarnings.MOST_REASONS; i++) {
            assertThat(warnings.admit("gid " + i, 0)).hasValue(0);
        }

        for (int i = 0; i < 1000; i++) {
            assertThat(warnings.admit("another gid " + i, 1)).isEmpty();
        }
        assertThat(warnings.admit("no device", FallbackWarnings.PAUSE_NS)).hasValue(1000);
    }
}
