// SPDX-License-Identifier: Apache-2.0

package io.verbena.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The programs shown in the documentation. */
final class FirstProgramTest {
    @Test
    void shouldSendAndWrite() {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();

        FirstProgram.run(new PrintStream(printed, true, StandardCharsets.UTF_8));

        assertThat(printed.toString(StandardCharsets.UTF_8).lines())
                .contains("request 1: RECEIVE", "request 2: SEND", "request 3: RDMA_WRITE")
                .contains("after SEND:  a message", "after WRITE: written from afar")
                .hasSize(5);
    }

    @Test
    void shouldCall() {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();

        FirstCall.run(new PrintStream(printed, true, StandardCharsets.UTF_8));

        assertThat(printed.toString(StandardCharsets.UTF_8).lines())
                .containsExactly("Hello Verbena", "attached: 36 bytes");
    }

    @Test
    void shouldQueueMessages() throws IOException {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();

        FirstMessages.run(new PrintStream(printed, true, StandardCharsets.UTF_8));

        assertThat(printed.toString(StandardCharsets.UTF_8).lines())
                .containsExactly(
                        "sender 2: in between",
                        "sender 1: the first half +",
                        "sender 1: the second half");
    }
}
