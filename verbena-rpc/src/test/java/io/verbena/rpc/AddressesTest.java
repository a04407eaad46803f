// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** Addresses as texts. */
class AddressesTest {
    @Test
    void shouldParse() {
        assertThat(Addresses.parse("127.0.0.1:80").getPort()).isEqualTo(80);
        assertThat(Addresses.text(Addresses.parse("[::1]:80"))).endsWith("]:80");
    }

    @Test
    void shouldSayWhatIsMissing() {
        assertThatThrownBy(() -> Addresses.parse("localhost"))
                .hasMessage("address: localhost has no port (expected: host:port)");
        assertThatThrownBy(() -> Addresses.parse("[::1]"))
                .hasMessage("address: [::1] has no port (expected: host:port)");
        assertThatThrownBy(() -> Addresses.parse("no.such.host.invalid:80"))
                .hasMessage("address: no.such.host.invalid:80: unknown host no.such.host.invalid");
    }
}
