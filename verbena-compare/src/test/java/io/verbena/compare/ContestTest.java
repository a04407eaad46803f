// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** With real processes. */
final class ContestTest {
    private static final Cell CELL = new Cell(32, 4);

    private final StringWriter progress = new StringWriter();

    private Contest contest(Path brpcLibraries, Contestant... contestants) {
        return new Contest(
                new Contest.Setup(List.of(contestants), List.of(CELL), 1, 100, 200, brpcLibraries),
                new PrintWriter(progress, true));
    }

    @Test
    void shouldMeasureOursAndAnother() throws InterruptedException {
        Map<Contestant, Map<Cell, Figures>> medians =
                contest(
                                Path.of(""),
                                Contestant.VERBENA_SOFT_ADAPTIVE,
                                Contestant.VERBENA_SOFT_ATTACHMENT,
                                Contestant.GRPC_JAVA)
                        .run();

        assertThat(medians).hasSize(3);
        medians.forEach(
                (contestant, cells) ->
                        assertThat(cells.get(CELL).callsPerS())
                                .as("%s %s", contestant, progress)
                                .isPositive());
    }

    @Test
    void shouldMeasureBlockingCallersAndProcessorTime() throws InterruptedException {
        Map<Contestant, Map<Cell, Figures>> medians =
                contest(Path.of(""), Contestant.VERBENA_TCP_VIRTUAL_ORDINARY).run();

        Figures figures = medians.get(Contestant.VERBENA_TCP_VIRTUAL_ORDINARY).get(CELL);
        assertThat(figures.callsPerS()).as("%s", progress).isPositive();
        assertThat(figures.cpuUsPerCall()).as("%s", progress).isPositive();
    }

    @Test
    void shouldSayWhichProcessFailed() {
        assertThatThrownBy(() -> contest(Path.of("no-such-folder"), Contestant.BRPC_JAVA).run())
                .hasMessageContaining("process brpc-java server")
                .hasMessageContaining("ended with status 1");
    }
}
