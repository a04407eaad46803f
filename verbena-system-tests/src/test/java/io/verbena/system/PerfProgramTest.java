// SPDX-License-Identifier: Apache-2.0

package io.verbena.system;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** {@code verbena perf}, one process per side. */
final class PerfProgramTest {
    private static final String RESULT =
            "Avg-Latency: \\d+, 90th-Latency: \\d+, 99th-Latency: \\d+, 99.9th-Latency: \\d+,"
                    + " Throughput: [0-9.]+MB/s, QPS: \\d+k, Server CPU-utilization: \\d+%,"
                    + " Client CPU-utilization: \\d+%";

    @Test
    void shouldPrintWhatTheProgramOfBrpcPrints() throws InterruptedException {
        try (RunningProgram server = RunningProgram.start("perf", "server", "-port", "0")) {
            String servers = "-servers=127.0.0.1:" + server.awaitListeningPort();

            try (RunningProgram client =
                    RunningProgram.start(
                            "perf",
                            "client",
                            servers,
                            "-thread_num=2",
                            "--queue_depth=4",
                            "-attachment_size=100",
                            "-echo_attachment",
                            "-test_seconds=1",
                            "-rpc_timeout_ms=20000",
                            "-dummy_port=0")) {
                assertThat(client.awaitExit()).as("%s", client.lines()).isZero();
                assertThat(client.lines().getFirst())
                        .isEqualTo(
                                "[Threads: 2, Depth: 4, Attachment: 100B, RDMA: yes, Echo: yes]");
                assertThat(client.lines().getLast()).matches(RESULT);
                assertThat(client.lines()).hasSize(2);
            }
        }
    }

    @Test
    void shouldEndWhenThereIsNoServer() throws InterruptedException {
        try (RunningProgram client =
                RunningProgram.start(
                        "perf",
                        "client",
                        "-servers=127.0.0.1:1",
                        "-nouse_rdma",
                        "-thread_num=1",
                        "-attachment_size=0",
                        "-dummy_port=0")) {
            assertThat(client.awaitExit()).isEqualTo(1);
            assertThat(client.lines())
                    .anyMatch(
                            line ->
                                    line.startsWith(
                                            "verbena: RPC call failed: ECONNREFUSED (111): nobody listens at "));
        }
    }
}
