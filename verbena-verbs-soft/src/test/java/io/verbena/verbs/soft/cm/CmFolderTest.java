// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft.cm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class CmFolderTest {
    private final CmFolder folder = new CmFolder(Path.of("/folder"));

    @Test
    void shouldNameSocketsByTheirPort() {
        assertThat(folder.socket(18515)).isEqualTo(Path.of("/folder/cm-18515.sock"));
    }

    @Test
    void shouldRefuseNumbersThatAreNoPort() {
        assertThatThrownBy(() -> folder.socket(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("port: 0 (expected: 1..65535)");
        assertThatThrownBy(() -> folder.socket(65536)).isInstanceOf(IllegalArgumentException.class);
    }
}
