// SPDX-License-Identifier: Apache-2.0

package io.verbena.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.TestCertificates;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code verbena echo}, {@code call} and {@code perf} with certificates. */
final class TlsProgramTest {
    private static final String PATIENT = "--timeout-ms=20000";

    @TempDir private static Path folder;
    private static TestCertificates certificates;

    @BeforeAll
    static void issue() {
        certificates = TestCertificates.in(folder);
    }

    private static List<String> own(String name) {
        return List.of(
                "--tls-ca=" + certificates.file("ca.pem"),
                "--tls-cert=" + certificates.file(name + ".pem"),
                "--tls-key=" + certificates.file(name + ".key"));
    }

    private static RunningProgram start(List<String> tls, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(tls);
        return RunningProgram.start(all.toArray(String[]::new));
    }

    private static void expect(String line, List<String> tls, String... arguments)
            throws InterruptedException {
        try (RunningProgram client = start(tls, arguments)) {
            client.awaitExit();
            assertThat(client.lines()).anyMatch(printed -> printed.contains(line));
        }
    }

    @Test
    void shouldEchoAndCallThroughTls() throws InterruptedException {
        try (RunningProgram server =
                start(own("server"), "echo", "server", "--port=0", "--use-rdma")) {
            String address = "localhost:" + server.awaitListeningPort();

            expect(": hello (attached: 0 B) in ", own("alice"), "echo", "client", PATIENT, address);
            expect(
                    ": hello (attached: 0 B) in ",
                    own("alice"),
                    "echo",
                    "client",
                    PATIENT,
                    "--use-rdma",
                    address);
            expect(
                    "\"message\": \"hi\"",
                    own("alice"),
                    "call",
                    PATIENT,
                    address,
                    "EchoService.Echo",
                    "{\"message\":\"hi\"}");
            expect("call 1 failed", List.of(), "echo", "client", PATIENT, address);
            expect(
                    "call 1 failed",
                    List.of("--tls-ca=" + certificates.file("ca.pem")),
                    "echo",
                    "client",
                    PATIENT,
                    address);
        }
    }

    @Test
    void shouldMeasureThroughTls() throws InterruptedException {
        try (RunningProgram server =
                start(own("server"), "perf", "server", "-port=0", "-use_rdma=false")) {
            String address = "localhost:" + server.awaitListeningPort();

            expect(
                    "Avg-Latency",
                    own("alice"),
                    "perf",
                    "client",
                    "-servers=" + address,
                    "-use_rdma=false",
                    "-thread_num=1",
                    "-attachment_size=1",
                    "-test_seconds=1",
                    "-rpc_timeout_ms=20000",
                    "-dummy_port=0");
        }
    }
}
