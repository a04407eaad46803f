// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import static org.assertj.core.api.Assertions.assertThat;

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
    private final Turns turns = new Turns(new PrintWriter(progress, true));

    private static Contest.Setup setup(Path brpcLibraries, Contestant... contestants) {
        return new Contest.Setup(
                List.of(contestants),
                List.of(CELL),
                1,
                100,
                200,
                20,
                List.of(64, 1 << 20),
                brpcLibraries);
    }

    private Contest contest(Path brpcLibraries, Contestant... contestants) {
        return new Contest(setup(brpcLibraries, contestants), turns);
    }

    @Test
    void shouldMeasureOursAndOthers() throws InterruptedException {
        Map<Contestant, Map<Cell, Figures>> medians =
                contest(
                                Path.of(""),
                                Contestant.VERBENA_SOFT_ADAPTIVE,
                                Contestant.VERBENA_SOFT_ATTACHMENT,
                                Contestant.GRPC_JAVA,
                                Contestant.NETTY,
                                Contestant.AERON_IPC)
                        .run();

        assertThat(medians).hasSize(5);
        medians.forEach(
                (contestant, cells) ->
                        assertThat(cells.get(CELL).callsPerS())
                                .as("%s %s", contestant, progress)
                                .isPositive());
    }

    @Test
    void shouldMeasureThroughTls() throws InterruptedException {
        Map<Contestant, Map<Cell, Figures>> medians =
                contest(Path.of(""), Contestant.VERBENA_TCP_TLS, Contestant.NETTY_TLS).run();

        assertThat(medians).hasSize(2);
        medians.forEach(
                (contestant, cells) ->
                        assertThat(cells.get(CELL).callsPerS())
                                .as("%s %s", contestant, progress)
                                .isPositive());
    }

    @Test
    void shouldMeasureBlockingCallersAndProcessorTime() throws InterruptedException {
        Map<Contestant, Map<Cell, Figures>> medians =
                contest(
                                Path.of(""),
                                Contestant.VERBENA_TCP_VIRTUAL_ORDINARY,
                                Contestant.GRPC_JAVA_VIRTUAL_ORDINARY)
                        .run();

        assertThat(medians).hasSize(2);
        medians.forEach(
                (contestant, cells) -> {
                    Figures figures = cells.get(CELL);
                    assertThat(figures.callsPerS()).as("%s %s", contestant, progress).isPositive();
                    assertThat(figures.cpuUsPerCall())
                            .as("%s %s", contestant, progress)
                            .isPositive();
                });
    }

    @Test
    void shouldMeasureManyConnections() throws InterruptedException {
        Map<Contestant, CrowdFigures> crowds =
                new Crowd(
                                setup(
                                        Path.of(""),
                                        Contestant.VERBENA_SOFT_PLATFORM_ORDINARY,
                                        Contestant.VERBENA_TCP,
                                        Contestant.GRPC_JAVA_PLATFORM_ORDINARY),
                                turns)
                        .run();

        assertThat(crowds)
                .containsOnlyKeys(
                        Contestant.VERBENA_SOFT_PLATFORM_ORDINARY,
                        Contestant.GRPC_JAVA_PLATFORM_ORDINARY);
        crowds.forEach(
                (contestant, figures) ->
                        assertThat(figures.p50Us()).as("%s %s", contestant, progress).isPositive());
    }

    @Test
    void shouldMeasureStreams() throws InterruptedException {
        Map<Contestant, Map<Integer, StreamFigures>> streams =
                new Streams(
                                setup(
                                        Path.of(""),
                                        Contestant.VERBENA_SOFT_PLATFORM_ORDINARY,
                                        Contestant.VERBENA_TCP_PLATFORM_ORDINARY,
                                        Contestant.VERBENA_TCP,
                                        Contestant.GRPC_JAVA_PLATFORM_ORDINARY),
                                turns)
                        .run();

        assertThat(streams)
                .containsOnlyKeys(
                        Contestant.VERBENA_SOFT_PLATFORM_ORDINARY,
                        Contestant.VERBENA_TCP_PLATFORM_ORDINARY,
                        Contestant.GRPC_JAVA_PLATFORM_ORDINARY);
        streams.forEach(
                (contestant, sizes) -> {
                    assertThat(sizes).containsOnlyKeys(64, 1 << 20);
                    sizes.forEach(
                            (bytes, figures) ->
                                    assertThat(figures.messagesPerS())
                                            .as("%s %s %s", contestant, bytes, progress)
                                            .isPositive());
                });
    }

    @Test
    void shouldLeaveOutWhoFailsAndSayWhichProcessItWas() throws InterruptedException {
        Path missing = Path.of("no-such-folder");

        Map<Contestant, Map<Cell, Figures>> medians =
                contest(missing, Contestant.BRPC_JAVA, Contestant.NETTY).run();

        assertThat(medians).containsOnlyKeys(Contestant.NETTY);
        assertThat(turns.failed()).containsExactly("round 1: brpc-java");
        assertThat(progress.toString())
                .contains("process brpc-java server")
                .contains("ended with status 1");
    }
}
