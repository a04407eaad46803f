// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class ArgumentsTest {
    @Test
    void shouldDecodeWhatTheJvmCouldNot() {
        String[] args = {"client", "--message", "\uFFFD\uFFFD\uFFFD", ""};
        byte[] commandLine =
                "java\0-cp\0x\0Main\0client\0--message\0好\0\0".getBytes(StandardCharsets.UTF_8);

        assertThat(Arguments.restore(args, commandLine))
                .containsExactly("client", "--message", "好", "");
    }

    @Test
    void shouldKeepArgumentsThatAreNotOnTheCommandLine() {
        String[] args = {"a", "\uFFFD", "c"};

        assertThat(Arguments.restore(args, "java\0x\0".getBytes(StandardCharsets.UTF_8)))
                .isSameAs(args);
    }

    @Test
    void shouldLeaveGoodArgumentsAlone() {
        String[] args = {"你好"};

        assertThat(Arguments.restore(args)).isSameAs(args);
    }
}
