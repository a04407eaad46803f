// SPDX-License-Identifier: Apache-2.0

package io.verbena.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class ClusterDemoTest {
    private static final Duration LIMIT = Duration.ofSeconds(55);

    @Test
    void shouldCallOnWhileServersComeAndGo() throws InterruptedException {
        try (RunningProgram demo =
                RunningProgram.start("cluster", "demo", "--seconds=6", "--servers=3")) {
            assertThat(demo.awaitExit(LIMIT)).as("%s", demo.lines()).isZero();

            assertThat(String.join("\n", demo.lines()))
                    .contains("registry  file://", "balancer  p2c")
                    .containsPattern("s  calls/s  1: [\\d,]+  2: [\\d,]+  3: [\\d,]+")
                    .contains("killed server 1, which the registry still lists")
                    .contains("added server 4", "asked server 2 to leave", "added server 5")
                    .containsPattern("ok  [\\d,]+ calls answered, .* 0 without an outcome")
                    .doesNotContain("\033[");
        }
    }

    @Test
    void shouldRejectABalancerThatDoesNotExist() throws InterruptedException {
        try (RunningProgram demo =
                RunningProgram.start("cluster", "demo", "--servers=3", "--balancer=best")) {
            assertThat(demo.awaitExit(LIMIT)).isEqualTo(1);
            assertThat(demo.lines()).anyMatch(line -> line.contains("load balancer: best"));
        }
    }
}
