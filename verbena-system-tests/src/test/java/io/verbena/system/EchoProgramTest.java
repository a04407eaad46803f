// SPDX-License-Identifier: Apache-2.0

package io.verbena.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** {@code verbena echo}, one process per side. */
final class EchoProgramTest {
    @Test
    void shouldAnswerOverRdmaAndTcp() throws InterruptedException {
        try (RunningProgram server =
                RunningProgram.start("echo", "server", "--port=0", "--use-rdma")) {
            String address = "localhost:" + server.awaitListeningPort();

            assertThat(replies("--use-rdma", address, "--attachment-size=20000", "--count=2"))
                    .allMatch(line -> line.contains(": hello (attached: 20000 B) in "))
                    .hasSize(2);
            assertThat(replies("--socket-mode=tcp", address, "--message=good day", "--count=2"))
                    .allMatch(line -> line.contains(": good day (attached: 0 B) in "))
                    .hasSize(2);
        }
    }

    private static List<String> replies(String... arguments) throws InterruptedException {
        String[] all = new String[arguments.length + 3];
        all[0] = "echo";
        all[1] = "client";
        all[2] = "--timeout-ms=20000";
        System.arraycopy(arguments, 0, all, 3, arguments.length);
        try (RunningProgram client = RunningProgram.start(all)) {
            assertThat(client.awaitExit()).as("%s", client.lines()).isZero();
            return client.lines();
        }
    }

    @Test
    void shouldSayWhyACallFailed() throws InterruptedException {
        try (RunningProgram client = RunningProgram.start("echo", "client", "127.0.0.1:1")) {
            assertThat(client.awaitExit()).isEqualTo(1);
            assertThat(client.lines())
                    .anyMatch(
                            line ->
                                    line.startsWith(
                                            "verbena: call 1 failed: ECONNREFUSED (111): nobody listens at "));
        }
    }

    /** At the default log level. */
    @Test
    void shouldTraceEachStepOfAHandshake() throws InterruptedException {
        List<String> tracing = List.of("env", "JAVA_TOOL_OPTIONS=-Drdma_trace_verbose=true");
        try (RunningProgram server =
                        RunningProgram.start("echo", "server", "--port=0", "--socket-mode=tcp");
                RunningProgram client =
                        RunningProgram.startWith(
                                tracing,
                                "echo",
                                "client",
                                "--timeout-ms=20000",
                                "--use-rdma",
                                "localhost:" + server.awaitListeningPort())) {
            assertThat(client.awaitExit()).as("%s", client.lines()).isZero();

            assertThat(String.join("\n", client.lines()))
                    .contains("TCP is connected")
                    .contains("works on its queue pair")
                    .contains("sends, ")
                    .contains("received, ")
                    .contains("falls back to TCP: ")
                    .contains("handshake version 2, ");
        }
    }
}
