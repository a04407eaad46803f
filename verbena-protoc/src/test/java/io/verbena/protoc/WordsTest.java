// SPDX-License-Identifier: Apache-2.0
package io.verbena.protoc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WordsTest {
    @ParameterizedTest
    @CsvSource({
        "Greet, greet, GREET",
        "GetUser, getUser, GET_USER",
        "get_user, getUser, GET_USER",
        "GetHTTPPage, getHTTPPage, GET_HTTP_PAGE",
        "Echo2you, echo2You, ECHO2YOU",
        "New, new_, NEW",
        "_, _, _",
    })
    void shouldNameMethodsAndConstants(String name, String method, String constant) {
        assertThat(Words.method(name)).isEqualTo(method.equals("_") ? "__" : method);
        assertThat(Words.constant(name)).isEqualTo(constant);
    }

    @Test
    void shouldMakeNamesUnique() {
        Set<String> used = new HashSet<>();

        assertThat(Words.unused("greet", used)).isEqualTo("greet");
        assertThat(Words.unused("greet", used)).isEqualTo("greet_");
        assertThat(Words.unused("greet", used)).isEqualTo("greet__");
    }
}
