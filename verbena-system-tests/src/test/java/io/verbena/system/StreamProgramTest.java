// SPDX-License-Identifier: Apache-2.0

package io.verbena.system;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** {@code verbena stream}, one process per side. */
final class StreamProgramTest {
    @Test
    void shouldEchoOverRdmaAndTcp() throws InterruptedException {
        try (RunningProgram server =
                RunningProgram.start("stream", "server", "--port=0", "--use-rdma")) {
            String address = "localhost:" + server.awaitListeningPort();

            expect(address, "--use-rdma", "--count=5000", "5000 messages of 64 B in ");
            expect(address, "--size=300000", "--count=20", "20 messages of 300000 B in ");
        }
    }

    private static void expect(String address, String first, String second, String beginning)
            throws InterruptedException {
        try (RunningProgram client =
                RunningProgram.start(
                        "stream", "client", "--timeout-ms=20000", address, first, second)) {
            assertThat(client.awaitExit()).as("%s", client.lines()).isZero();
            assertThat(client.lines()).anyMatch(line -> line.startsWith(beginning));
        }
    }
}
