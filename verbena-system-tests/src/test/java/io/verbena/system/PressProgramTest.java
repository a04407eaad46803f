// SPDX-License-Identifier: Apache-2.0

package io.verbena.system;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** {@code verbena press}, one process per side. */
final class PressProgramTest {
    @Test
    void shouldMakeAllCallsOfItsRate() throws InterruptedException {
        try (RunningProgram server = RunningProgram.start("echo", "server", "--port=0");
                RunningProgram press =
                        RunningProgram.start(
                                "press",
                                "localhost:" + server.awaitListeningPort(),
                                "--qps=200",
                                "--seconds=2",
                                "--connections=2",
                                "--size=100",
                                "--timeout-ms=20000")) {
            assertThat(press.awaitExit()).as("%s", press.lines()).isZero();
            assertThat(press.lines())
                    .anyMatch(line -> line.matches("made 400 calls, .*; answered 400; failed 0"))
                    .anyMatch(line -> line.matches(" +99\\.9 % +\\d+\\.\\d"));
        }
    }

    @Test
    void shouldEndWhenThereIsNoServer() throws InterruptedException {
        try (RunningProgram press = RunningProgram.start("press", "127.0.0.1:1")) {
            assertThat(press.awaitExit()).isEqualTo(1);
            assertThat(press.lines())
                    .anyMatch(
                            line ->
                                    line.startsWith(
                                            "verbena: the first call failed: ECONNREFUSED (111): nobody listens at "));
        }
    }

    @Test
    void shouldCountTheCallsOfAServerThatDies() throws InterruptedException {
        try (RunningProgram server = RunningProgram.start("echo", "server", "--port=0");
                RunningProgram press =
                        RunningProgram.start(
                                "press",
                                "localhost:" + server.awaitListeningPort(),
                                "--qps=100",
                                "--seconds=6",
                                "--timeout-ms=10000")) {
            press.awaitLine("   1 s");
            server.kill();

            assertThat(press.awaitExit()).as("%s", press.lines()).isEqualTo(1);
            assertThat(press.lines())
                    .anyMatch(
                            line ->
                                    line.matches(
                                            "made 600 calls, .*; answered \\d+; failed \\d+:"
                                                    + " \\d+ with E\\d+.*"));
        }
    }
}
