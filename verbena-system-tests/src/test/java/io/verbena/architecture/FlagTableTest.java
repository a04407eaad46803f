// SPDX-License-Identifier: Apache-2.0
package io.verbena.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * That the page on flags lists all of them as they are, and that {@code /flags} says the same.
 * {@value #WRITE} writes both again.
 */
final class FlagTableTest {
    private static final String WRITE =
            "./verbena test -pl verbena-system-tests -Dtest=FlagTableTest"
                    + " -Dverbena.testArgs=-Dverbena.docs.write=true";

    @Test
    void shouldListEveryFlagAsItIs() throws IOException, ReflectiveOperationException {
        String page = Files.readString(FlagTable.page());

        String expected = replaced(page, "rpc", FlagTable.inTable(FlagTable.ofRpc()));
        expected = replaced(expected, "transport", FlagTable.inTable(FlagTable.ofTransport()));
        expected = replaced(expected, "pool", FlagTable.inTable(FlagTable.ofPool()));

        assertWritten(FlagTable.page(), expected);
    }

    @Test
    void shouldShowTheSameOnTheServersPage() throws IOException, ReflectiveOperationException {
        List<FlagTable.Row> rows = new ArrayList<>(FlagTable.ofRpc());
        rows.addAll(FlagTable.ofTransport());
        rows.addAll(FlagTable.ofPool());

        assertWritten(FlagTable.properties(), FlagTable.asProperties(rows));
    }

    private static void assertWritten(Path file, String expected) throws IOException {
        if (Boolean.getBoolean("verbena.docs.write")) {
            Files.writeString(file, expected);
        }
        assertThat(Files.readString(file)).as("after " + WRITE).isEqualTo(expected);
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
