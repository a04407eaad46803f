// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.call;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** JSON for a terminal. */
final class JsonTextTest {
    @Test
    void shouldWriteSignsAsThemselves() {
        assertThat(JsonText.plain("a\\u003db \\u003c\\u003e\\u0026\\u0027")).isEqualTo("a=b <>&'");
    }

    @Test
    void shouldKeepAnEscapedBackslash() {
        assertThat(JsonText.plain("\\\\u003d")).isEqualTo("\\\\u003d");
        assertThat(JsonText.plain("\\\\\\u003d")).isEqualTo("\\\\=");
    }
}
