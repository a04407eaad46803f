// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.verbena.bench.verbs.TestKind;
import io.verbena.tools.ChildProcess;
import io.verbena.tools.JavaProgram;
import io.verbena.verbs.Devices;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The whole command, with a real second process where it measures. */
final class BenchCommandTest {
    /** Done when the table's header is printed, just before the first measurement. */
    private final CompletableFuture<Void> header = new CompletableFuture<>();

    private final StringWriter out =
            new StringWriter() {
                @Override
                public void write(String text, int from, int length) {
                    super.write(text, from, length);
                    if (text.contains("#bytes")) {
                        header.complete(null);
                    }
                }
            };
    private final StringWriter err = new StringWriter();

    private int run(String line) {
        return BenchProgram.run(line, out, err);
    }

    private static ChildProcess startServer() {
        List<String> arguments = List.of("bench", "send_lat", "--listen", "-p", "0");
        return ChildProcess.start(
                "server", new JavaProgram(BenchProgram.class).command(arguments), _ -> {});
    }

    private static void assumeDevice() {
        assumeFalse(Devices.list().isEmpty(), "no RDMA device, not even the software device");
    }

    @ParameterizedTest
    @EnumSource(TestKind.class)
    void shouldMeasureBetweenTwoProcesses(TestKind test) {
        assumeDevice();

        int exit = run(test.id() + " -n 1000 --runs 2 --warmup 100 --json");

        assertThat(err.toString()).isEmpty();
        assertThat(exit).isZero();
        List<String> lines = out.toString().lines().toList();
        assertThat(lines).hasSize(1);
        Map<String, String> row = FlatJson.parse(lines.getFirst());
        assertThat(row)
                .containsEntry("test", test.id())
                .containsEntry("iterations", "1000")
                .containsEntry("bytes", Integer.toString(test.defaultBytes()));
        for (String figure :
                List.of(
                        "rtt_p50_us",
                        "msgs_per_s",
                        "mb_per_s",
                        "floor_rtt_us",
                        "memcpy_mb_per_s")) {
            assertThat(Double.parseDouble(row.get(figure))).as(figure).isPositive();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "send_lat -s 100k",
                "send_bw -s 3 -t 1",
                "send_bw -s 1m -n 100",
                "write_lat -s 1",
                "write_bw -s 1m -n 100 --memory user",
                "read_bw -s 5000 -t 7",
                "send_lat --memory user -I 0",
                "send_lat -e -n 100",
                "send_bw -e -s 64",
                "send_bw -s 64 -l 8",
                "write_bw -s 64 -t 20 -l 7",
                "read_lat -e -n 100",
                "atomic_lat -A CMP_AND_SWAP",
                "send_lat --idle-pairs 20"
            })
    void shouldMeasureUnderOtherConditions(String line) {
        assumeDevice();

        int exit = run(line + (line.contains("-n") ? "" : " -n 500") + " --runs 1 --warmup 20");

        assertThat(err.toString()).isEmpty();
        assertThat(exit).isZero();
        assertThat(out.toString()).contains("#bytes", "memcpy");
    }

    @Test
    void shouldPrintARowPerSize() {
        assumeDevice();

        int exit = run("write_bw -a -n 20 --runs 1 --warmup 0 --json");

        assertThat(err.toString()).isEmpty();
        assertThat(exit).isZero();
        assertThat(out.toString().lines()).hasSize(23);
    }

    @Test
    void shouldEndWhenTheServerIsKilled() throws InterruptedException {
        assumeDevice();
        try (ChildProcess server = startServer()) {
            String port = server.awaitLine("listening on port ", Duration.ofSeconds(30));
            CompletableFuture<Void> killed = header.thenRun(server::kill);

            int exit = run("send_lat --connect localhost -n 100000 --runs 1000 -p " + port);

            assertThat(killed).isDone();
            assertThat(exit).isEqualTo(1);
            assertThat(err.toString()).isNotBlank();
        }
    }

    @Test
    void shouldRefuseAClientThatWantsAnotherTest() throws InterruptedException {
        assumeDevice();
        try (ChildProcess server = startServer()) {
            String port = server.awaitLine("listening on port ", Duration.ofSeconds(30));

            int exit = run("write_lat --connect localhost -n 10 -p " + port);

            assertThat(exit).isEqualTo(1);
            assertThat(err.toString()).contains("write_lat (expected: send_lat)");
            assertThat(server.awaitExit(Duration.ofSeconds(30))).hasValue(1);
        }
    }

    @Test
    void shouldNameADeviceThatDoesNotExist() {
        int exit = run("send_lat -n 10 -d nosuch0");

        assertThat(exit).isEqualTo(1);
        assertThat(err.toString()).contains("nosuch0");
    }

    @Test
    void shouldNotListenWithADeviceThatDoesNotExist() {
        int exit = run("send_lat --listen -p 0 -d nosuch0");

        assertThat(exit).isEqualTo(1);
        assertThat(err.toString()).contains("nosuch0 (expected: one of [");
    }

    @Test
    void shouldSayThatNobodyListens() {
        int exit = run("send_lat -n 10 --connect localhost -p 1");

        assertThat(exit).isEqualTo(1);
        assertThat(err.toString())
                .contains(
                        "nobody listens at localhost:1 (expected: a server started with --listen)");
    }

    @Test
    void shouldRejectWrongArguments() {
        assertThat(run("no_lat")).isEqualTo(2);
        assertThat(run("send_lat -s 0")).isEqualTo(2);
        assertThat(run("send_lat --memory none")).isEqualTo(2);
        assertThat(run("send_lat --listen --connect localhost")).isEqualTo(2);
        assertThat(run("write_lat -e")).isEqualTo(2);
        assertThat(run("send_lat --runs 0")).isEqualTo(2);
        assertThat(err.toString())
                .contains("test: no_lat (expected: one of send_lat")
                .contains("memory: none (expected: device or user)")
                .contains("--listen excludes --connect");
    }
}
