// SPDX-License-Identifier: Apache-2.0

package io.verbena.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

final class DemoProgramTest {
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Pattern SERVER = Pattern.compile("the server is pid (\\d+)");
    private static final String FIGURES = "( +[\\d,]+ +\\d+(\\.\\d)? +\\d+(\\.\\d)? +\\d+){2}";

    @Test
    void shouldShowCallsOverRdmaBesideTcp() throws InterruptedException {
        try (RunningProgram demo = RunningProgram.start("demo", "--seconds", "2")) {
            assertThat(demo.awaitExit()).as("%s", demo.lines()).isZero();

            String text = String.join("\n", demo.lines());
            assertThat(demo.lines()).allMatch(line -> line.length() <= 80);
            assertThat(text)
                    .contains("over RDMA", "over TCP", "calls/s", "p50 us", "p99 us", "MB/s")
                    .containsPattern("64 B, 1 at a time" + FIGURES)
                    .containsPattern("64 B, 64 at a time" + FIGURES)
                    .containsPattern("1 MiB, 4 at a time" + FIGURES)
                    .containsPattern("RDMA +window \\d+ of \\d+")
                    .containsPattern("TCP +[\\d,]+ bytes unwritten")
                    .containsPattern("memory pools: client .* of \\d+ MiB in use, server ")
                    .containsPattern("ok  [\\d,]+ calls, every one answered as sent")
                    .doesNotContain("\033[");
        }
    }

    @Test
    void shouldShowAndVerifyEveryOperation() throws InterruptedException {
        try (RunningProgram demo = RunningProgram.start("demo", "--verbs", "--seconds", "1")) {
            assertThat(demo.awaitExit()).as("%s", demo.lines()).isZero();

            String text = String.join("\n", demo.lines());
            assertThat(text)
                    .contains("operation", "p50 us", "p99 us", "max us", "ops/s", "MB/s")
                    .containsPattern("SEND and echo +64 B +\\d+\\.\\d\\d ")
                    .containsPattern("WRITE +64 B +\\d+\\.\\d\\d ")
                    .containsPattern("READ +64 B +\\d+\\.\\d\\d ")
                    .containsPattern("FETCH_AND_ADD +8 B +\\d+\\.\\d\\d ")
                    .containsPattern("SEND and echo +1 MiB +\\d+\\.\\d\\d ")
                    .containsPattern("WRITE +1 MiB +\\d+\\.\\d\\d ")
                    .containsPattern("READ +1 MiB +\\d+\\.\\d\\d ")
                    .containsPattern("ok  verified [\\d,]+ messages, .* no difference")
                    .doesNotContain("\033[");
        }
    }

    @Test
    void shouldFailWhenItsServerIsKilled() throws InterruptedException {
        try (RunningProgram demo = RunningProgram.start("demo", "--seconds", "30")) {
            long server = awaitServer(demo);

            ProcessHandle.of(server).orElseThrow().destroyForcibly();

            assertThat(demo.awaitExit(SOON)).isEqualTo(1);
            assertThat(demo.lines())
                    .anyMatch(
                            line ->
                                    line.startsWith(
                                            "verbena: process server (pid "
                                                    + server
                                                    + ") was ended by signal 9"));
        }
    }

    @Test
    void shouldTakeItsServerAlongWhenKilled() throws Exception {
        try (RunningProgram demo = RunningProgram.start("demo", "--seconds", "30")) {
            ProcessHandle server = ProcessHandle.of(awaitServer(demo)).orElseThrow();

            demo.kill();

            server.onExit().get(SOON.toSeconds(), TimeUnit.SECONDS);
        }
    }

    private static long awaitServer(RunningProgram demo) throws InterruptedException {
        Matcher matcher = SERVER.matcher(demo.awaitLine("  processes"));
        assertThat(matcher.find()).isTrue();
        return Long.parseLong(matcher.group(1));
    }
}
