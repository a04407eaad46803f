// SPDX-License-Identifier: Apache-2.0
package io.verbena.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class RunningProcessTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private static RunningProcess shell(String script) {
        return RunningProcess.start(LIMIT, List.of("sh", "-c", script));
    }

    @Test
    void shouldReturnLinesAndStatus() throws InterruptedException {
        try (RunningProcess process = shell("echo one; echo listening on port 77.; exit 3")) {
            assertThat(process.awaitListeningPort()).isEqualTo("77");
            assertThat(process.nextLine()).isEqualTo("one");
            assertThat(process.awaitExit()).isEqualTo(3);
            assertThat(process.lines()).containsExactly("one", "listening on port 77.");
        }
    }

    @Test
    void shouldTalkToIt() throws InterruptedException {
        try (RunningProcess process = shell("while read line; do echo got $line; done")) {
            process.tell("this");
            assertThat(process.awaitLine("got ")).isEqualTo("this");

            process.endInput();

            assertThat(process.awaitExit()).isZero();
        }
    }

    @Test
    void shouldFailWithAllItPrinted() {
        try (RunningProcess process = shell("echo something else")) {
            assertThatThrownBy(() -> process.awaitLine("what is expected"))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("no line 'what is expected'")
                    .hasMessageContaining("something else");
        }
    }

    @Test
    void shouldStopAndResume() throws InterruptedException {
        try (RunningProcess process = shell("echo $$; read line; echo awake")) {
            process.nextLine();

            Signals.stop(process.pid());
            process.tell("go");
            Signals.resume(process.pid());

            assertThat(process.nextLine()).isEqualTo("awake");
        }
    }

    @Test
    void shouldEndWhatItStarted() {
        RunningProcess process = shell("read line");

        process.close();

        assertThat(ProcessHandle.of(process.pid())).isEmpty();
    }
}
