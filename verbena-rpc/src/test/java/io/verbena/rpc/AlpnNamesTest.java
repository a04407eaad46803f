// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class AlpnNamesTest {
    /** A browser offers h2 as well, and would get no pages there. */
    @Test
    void shouldPreferHttp1WhereBrowsersCanChoose() {
        ServerPort port = new ServerPort(List.of("baidu_std", "h2", "http"), List.of(), true, true);

        assertThat(AlpnNames.of(port)).containsExactly("http/1.1", "h2", "baidu_std");
    }
}
