// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Wrong arguments end with status 2 and a message, before any device is opened. */
final class ParsingTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "send-recv | Missing side (expected: server or client)",
                "send-recv server --port 70000 | '70000' (expected: 0..65535)",
                "send-recv server --port x | 'x' (expected: 0..65535)",
                "send-recv server --count 0 --once | --count: 0 (expected: at least 1)",
                "send-recv server --frobnicate | Unknown option: '--frobnicate'",
                "send-recv client localhost -1 | '-1' (expected: 0..65535)",
                "write-read | Missing side (expected: server or client)",
                "write-read server | Missing mode (expected: write or read)",
                "write-read server append | Missing mode (expected: write or read)",
                "write-read write server append | MODE: append (expected: write or read)",
                "write-read write server read | More than one mode: read",
                "write-read append server | append",
                "write-read client localhost 1 | Missing mode (expected: write or read)",
                "write-read client read localhost 99999 | PORT: '99999' (expected: 0..65535)",
                "write-read read client a 1 2 | Too many arguments: [a, 1, 2] (expected: HOST PORT)",
                "demo --seconds 0 | --seconds: 0 (expected: 1..3600)",
                "demo --seconds x | 'x'",
                "rc-pingpong -s 0 | --size: 0 (expected: at least 1)",
                "rc-pingpong -n -1 | --iters: -1 (expected: at least 1)",
                "rc-pingpong -r 0 | --rx-depth: 0 (expected: at least 1)",
                "rc-pingpong -m 1000 | --mtu: 1000 (expected: 256, 512, 1024, 2048 or 4096)",
                "rc-pingpong -m 0 | --mtu: 0 (expected: 256, 512, 1024, 2048 or 4096)",
                "rc-pingpong -l 3 | --sl: 3 (expected: 0: these verbs set no service level)",
                "rc-pingpong -p 65536 | '65536' (expected: 0..65535)",
                "rc-pingpong a b | Unmatched argument at index 2: 'b'",
                "rping | Missing side (expected: -s or -c)",
                "rping -s -c | Missing side (expected: -s or -c)",
                "rping -c | Missing address (expected: -a ADDR, the server's)",
                "rping -s -S 22 | Invalid size 22 (expected: 23..65535)",
                "rping -s -S 65536 | Invalid size 65536 (expected: 23..65535)",
                "rping -s -C -1 | Invalid count -1 (expected: at least 0)",
                "rping -s --timeout 0 | --timeout: 0 (expected: at least 1)",
                "echo | Missing side (expected: server or client)",
                "echo server --port 70000 | '70000' (expected: 0..65535)",
                "echo client --count 0 | --count: 0 (expected: 1..",
                "echo client --attachment-size -1 | --attachment-size: -1 (expected: 0..",
                "echo client --timeout-ms 0 | --timeout-ms: 0 (expected: 1..",
                "call | Missing required parameters",
                "call localhost:1 S.M --timeout-ms 0 | --timeout-ms: 0 (expected: > 0)",
                "call localhost:1 S.M --protocol http --use-rdma | (expected: baidu_std, with RDMA)",
                "call localhost:1 S.M --protocol h2 | Invalid value for option '--protocol'",
                "call localhost:1 S.M --proto a --descriptors b | mutually exclusive",
                "echo client --use-rdma --socket-mode tcp | --socket-mode: TCP (expected: RDMA",
                "perf | Missing side (expected: server or client)",
                "perf server -port=70000 | port: 70000 (expected: 0..65535)",
                "perf server -frobnicate=1 | unknown command line flag 'frobnicate'",
                "perf client -queue_depth=x | queue_depth: x (expected: a whole number)",
                "perf client -use_rdma=maybe | use_rdma: maybe (expected: true or false)",
                "perf client -test_seconds | test_seconds: no value (expected: -name=value)",
                "press | Missing required parameter: 'HOST:PORT'",
                "press a:1 --qps 0 | --qps: 0 (expected: 0.1..10000000)",
                "press a:1 --connections 0 | --connections: 0 (expected: 1..10000)",
                "devices extra | Unmatched argument at index 1: 'extra'",
            })
    void shouldRefuse(String line, String message) {
        int exit = run(line.strip().split(" "));

        assertThat(err.toString()).contains(message.strip());
        assertThat(exit).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "demo",
                "echo",
                "echo server",
                "echo client",
                "perf",
                "perf server",
                "perf client",
                "press",
                "devices",
                "rc-pingpong",
                "rping",
                "send-recv",
                "send-recv server",
                "send-recv client",
                "write-read",
                "write-read server",
                "write-read client",
                "version"
            })
    void shouldExplainEachCommand(String line) {
        int exit = run((line + " --help").split(" "));

        assertThat(exit).isZero();
        assertThat(out.toString()).startsWith("Usage: verbena " + line);
    }

    @Test
    void shouldRefuseAMessageThatDoesNotFit() {
        int exit = run("send-recv", "client", "--message", "好".repeat(342));

        assertThat(exit).isEqualTo(2);
        assertThat(err.toString()).startsWith("message: 1026 bytes (expected: at most 1023)");
    }

    @Test
    void shouldNotShowCommandsThatOnlyThisProgramStarts() {
        run("--help");

        assertThat(out.toString()).contains("demo ").doesNotContain("demo-peer");
    }

    @Test
    void shouldPrintTheVersionAsACommand() {
        assertThat(run("version")).isZero();

        assertThat(out.toString()).startsWith("verbena ").contains("java ");
    }

    @Test
    void shouldReportAFailureInOneLine() {
        int exit = run("devices", "-d", "no-such-device");

        assertThat(exit).isEqualTo(1);
        assertThat(err.toString().lines()).hasSize(1);
        assertThat(err.toString()).startsWith("verbena: ").contains("no-such-device");
    }

    @Test
    void shouldShowWhereAFailureCameFromWhenAsked() {
        int exit = run("devices", "-d", "no-such-device", "--debug");

        assertThat(exit).isEqualTo(1);
        assertThat(err.toString()).startsWith("verbena: ").contains("\tat io.verbena.");
    }

    private int run(String... args) {
        return Main.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(args);
    }
}
