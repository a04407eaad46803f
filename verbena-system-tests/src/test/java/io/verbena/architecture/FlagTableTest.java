// SPDX-License-Identifier: Apache-2.0
package io.verbena.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

/**
 * That the page on flags lists all of them as they are. {@code -Dverbena.docs.write=true} writes
 * the tables again.
 */
final class FlagTableTest {
    @Test
    void shouldListEveryFlagAsItIs() throws IOException, ReflectiveOperationException {
        String page = Files.readString(FlagTable.page());

        String expected = replaced(page, "rpc", FlagTable.ofRpc());
        expected = replaced(expected, "transport", FlagTable.ofTransport());
        expected = replaced(expected, "pool", FlagTable.ofPool());

        if (Boolean.getBoolean("verbena.docs.write")) {
            Files.writeString(FlagTable.page(), expected);
        }
        assertThat(Files.readString(FlagTable.page())).isEqualTo(expected);
    }

    private static String replaced(String page, String name, String table) {
        String begin = "<!-- flags of " + name + " -->\n\n";
        String end = "\n<!-- end -->";
        int from = page.indexOf(begin);
        assertThat(from).as(begin).isNotNegative();
        int to = page.indexOf(end, from);
        return page.substring(0, from + begin.length()) + table + page.substring(to);
    }
}
