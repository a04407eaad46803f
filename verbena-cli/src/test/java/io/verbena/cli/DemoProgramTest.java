// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

final class DemoProgramTest {
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final Pattern PEER = Pattern.compile("and its peer \\(pid (\\d+)\\)");

    @Test
    void shouldShowAndVerifyEveryOperation() throws InterruptedException {
        try (RunningProgram demo = RunningProgram.start("demo", "--seconds", "2")) {
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
    void shouldFailWhenItsPeerIsKilled() throws InterruptedException {
        try (RunningProgram demo = RunningProgram.start("demo", "--seconds", "30")) {
            long peer = awaitPeer(demo);

            ProcessHandle.of(peer).orElseThrow().destroyForcibly();

            assertThat(demo.awaitExit(SOON)).isEqualTo(1);
            assertThat(demo.lines())
                    .anyMatch(
                            line ->
                                    line.startsWith(
                                            "verbena: process peer (pid "
                                                    + peer
                                                    + ") was ended by signal 9"));
        }
    }

    @Test
    void shouldTakeItsPeerAlongWhenKilled() throws Exception {
        try (RunningProgram demo = RunningProgram.start("demo", "--seconds", "30")) {
            ProcessHandle peer = ProcessHandle.of(awaitPeer(demo)).orElseThrow();

            demo.kill();

            peer.onExit().get(SOON.toSeconds(), TimeUnit.SECONDS);
        }
    }

    private static long awaitPeer(RunningProgram demo) throws InterruptedException {
        Matcher matcher = PEER.matcher(demo.awaitLine("  processes"));
        assertThat(matcher.find()).isTrue();
        return Long.parseLong(matcher.group(1));
    }
}
