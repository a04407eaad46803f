// SPDX-License-Identifier: Apache-2.0
package io.verbena.naming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RegistryAddressTest {
    private static RegistryAddress parse(String name) {
        return RegistryAddress.parse(name, 99, Set.of("a_ms"));
    }

    @Test
    void shouldReadHostsPathAndParameters() {
        RegistryAddress address = parse("a:1,b,[::1],[::2]:5//path/to/?a_ms=7");

        assertThat(address.hosts()).containsExactly("a:1", "b:99", "[::1]:99", "[::2]:5");
        assertThat(address.path()).isEqualTo("path/to");
        assertThat(address.parameters()).isEqualTo(Map.of("a_ms", "7"));
        assertThat(address.milliseconds("a_ms", 1)).isEqualTo(7);
        assertThat(parse("a/b").milliseconds("a_ms", 1)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a:1", "/path", "a:1/", ",/p", "a:x/p", "a/p?b=1", "a/p?a_ms"})
    void shouldRejectOtherNames(String name) {
        assertThatIllegalArgumentException().isThrownBy(() -> parse(name));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "x", ""})
    void shouldRejectTimesThatAreNone(String value) {
        RegistryAddress address = parse("a/p?a_ms=" + value);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> address.milliseconds("a_ms", 1))
                .withMessageContaining("a_ms: " + value);
    }
}
