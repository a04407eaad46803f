// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VariablesTest {
    @ParameterizedTest
    @CsvSource({
        "example.EchoService.Echo, example_echo_service_echo",
        "a.RPCServer, a_rpc_server",
        "Test2Service, test2_service",
        "x__y.Z, x_y_z",
    })
    void shouldMakeNamesAsBrpcDoes(String name, String expected) {
        assertThat(Variable.underscored(name)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "abc, abc, true",
        "a*, abc, true",
        "*c, abc, true",
        "a?c, abc, true",
        "*, abc, true",
        "a*b*c, aXbYbZc, true",
        "ab, abc, false",
        "*b, abc, false",
        "?, abc, false",
        "abc?, abc, false",
    })
    void shouldMatchPatterns(String pattern, String name, boolean expected) {
        assertThat(VarsPage.matches(pattern, name)).isEqualTo(expected);
    }

    @Test
    void shouldNotTakeForeverForEvilPatterns() {
        assertThat(VarsPage.matches("*a".repeat(2000) + "b", "a".repeat(4000))).isFalse();
    }
}
