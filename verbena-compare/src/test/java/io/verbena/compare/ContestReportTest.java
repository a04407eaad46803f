// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ContestReportTest {
    private static final Cell ONE = new Cell(32, 1);
    private static final Cell MANY = new Cell(32, 64);

    private static Figures figures(double p50Us, double callsPerS) {
        return new Figures(p50Us, 2 * p50Us, 3 * p50Us, callsPerS, callsPerS * 32 / 1e6, 100, 4.5);
    }

    private static Map<Contestant, Map<Cell, Figures>> medians() {
        Map<Contestant, Map<Cell, Figures>> medians = new EnumMap<>(Contestant.class);
        medians.put(
                Contestant.VERBENA_SOFT_POLLING,
                Map.of(ONE, figures(3.5, 250_000), MANY, figures(60, 1_000_000)));
        medians.put(
                Contestant.GRPC_JAVA, Map.of(ONE, figures(200, 5000), MANY, figures(1100, 58_000)));
        medians.put(Contestant.VERBENA_TCP_PLATFORM_ORDINARY, Map.of(ONE, figures(95, 9400)));
        return medians;
    }

    private static Contest.Setup setup() {
        return new Contest.Setup(
                List.copyOf(medians().keySet()),
                List.of(ONE, MANY),
                3,
                1000,
                2000,
                1000,
                List.of(64, 1 << 20),
                Path.of("nowhere"));
    }

    private static ContestReport report() {
        return new ContestReport(
                setup(),
                medians(),
                Map.of(
                        Contestant.VERBENA_TCP_PLATFORM_ORDINARY,
                        new CrowdFigures(20 << 10, Double.NaN, 97, 200)),
                Map.of(
                        Contestant.VERBENA_TCP_PLATFORM_ORDINARY,
                        Map.of(
                                64,
                                new StreamFigures(2_000_000, 128, 200, 0.75),
                                1 << 20,
                                new StreamFigures(2000, 2097.152, 1.5e6, 900))));
    }

    @Test
    void shouldShowStreams() {
        assertThat(report().markdown())
                .contains("| verbena | tcp | 64 B | 2,000,000 | 128.0 | 200 | 0.75 |")
                .contains("| verbena | tcp | 1 MiB | 2,000 | 2,097.2 | 1,500,000 | 900.00 |");
        assertThat(report().json().lines())
                .last()
                .isEqualTo(
                        "{\"system\": \"verbena\", \"transport\": \"tcp\", \"mode\": \"\","
                                + " \"caller\": \"platform\", \"service\": \"ordinary\","
                                + " \"streams\": 1, \"bytes\": 1048576,"
                                + " \"messages_per_s\": 2000.0000, \"mb_per_s\": 2097.1520,"
                                + " \"garbage_bytes_per_message\": 1500000.0000,"
                                + " \"cpu_us_per_message\": 900.0000}");
        StreamFigures figures = new StreamFigures(1000, 2.5, 10, 0.5);
        assertThat(StreamFigures.parse(figures.toLine())).isEqualTo(figures);
        assertThatThrownBy(() -> StreamFigures.parse("1 2"))
                .hasMessage("line: 1 2 (expected: four numbers)");
    }

    @Test
    void shouldPrintAnObjectPerRow() {
        assertThat(report().json().lines())
                .hasSize(8)
                .first()
                .isEqualTo(
                        "{\"system\": \"verbena\", \"transport\": \"soft\", \"mode\": \"polling\","
                                + " \"caller\": \"inline\", \"service\": \"nonblocking\","
                                + " \"connections\": 1, \"bytes\": 32, \"depth\": 1,"
                                + " \"p50_us\": 3.5000, \"p99_us\": 7.0000, \"p999_us\": 10.5000,"
                                + " \"calls_per_s\": 250000.0000, \"mb_per_s\": 8.0000,"
                                + " \"garbage_bytes_per_call\": 100.0000,"
                                + " \"cpu_us_per_call\": 4.5000}");
        assertThat(report().json().lines())
                .element(5)
                .isEqualTo(
                        "{\"system\": \"verbena\", \"transport\": \"tcp\", \"mode\": \"\","
                                + " \"caller\": \"platform\", \"service\": \"ordinary\","
                                + " \"connections\": 1000, \"bytes\": 32, \"depth\": 1,"
                                + " \"p50_us\": 97.0000, \"p99_us\": 200.0000,"
                                + " \"client_bytes_per_connection\": 20480.0000,"
                                + " \"server_bytes_per_connection\": null}");
    }

    @Test
    void shouldShowATableAndPlots() {
        assertThat(report().markdown())
                .contains("| grpc-java | tcp |  | inline | nonblocking | 32 B | 64 | 1100.0 |")
                .contains("| verbena | tcp |  | platform | ordinary | 32 B | 1 | 95.0 |")
                .doesNotContain("| platform | ordinary | 32 B | 64 |")
                .contains("| verbena | tcp | 1,000 | 20.0 | NaN | 97.0 | 200.0 |")
                .contains("](compare-latency.svg)")
                .contains("3 round(s), each measurement 2.0 s after 1.0 s");
    }

    @Test
    void shouldBeginWithWhatMostPeopleWrite() {
        String summary = new ContestSummary(medians()).table();

        assertThat(summary.lines().skip(2))
                .containsExactly(
                        "| blocking stub on a platform thread, ordinary service | verbena | tcp |"
                                + " 95.0 | – | 4.5 |",
                        "| callbacks, non-blocking service | grpc-java | tcp | 200.0 | 58,000 | 4.5"
                                + " |");
        assertThat(report().markdown()).contains(summary);
    }

    @Test
    void shouldPlotCallbacksAndBlockingCallersApart() {
        Map<String, String> plots = new ContestPlots(setup(), medians()).byFile();

        assertThat(plots)
                .containsOnlyKeys(
                        "compare-latency.svg", "compare-rate.svg", "compare-blocking-latency.svg");
        assertThat(plots.get("compare-latency.svg"))
                .startsWith("<svg ")
                .contains(">3.5<", ">200<", "verbena-soft-polling")
                .doesNotContain("ordinary")
                .endsWith("</svg>\n");
        assertThat(plots.get("compare-rate.svg")).contains(">1.0M<", ">58k<");
        assertThat(plots.get("compare-blocking-latency.svg"))
                .contains(">95<", "verbena-tcp-platform-ordinary");
    }

    @Test
    void shouldTakeTheMedianOfEachFigure() {
        Figures medians =
                Figures.medians(List.of(figures(1, 30), figures(100, 20), figures(3, 10)));

        assertThat(medians.p50Us()).isEqualTo(3);
        assertThat(medians.callsPerS()).isEqualTo(20);
        assertThat(Figures.medians(List.of(figures(1, 1), figures(3, 1))).p50Us()).isEqualTo(2);
    }

    @Test
    void shouldReadBackItsLine() {
        assertThat(Figures.parse(figures(1.25, 1000).toLine())).isEqualTo(figures(1.25, 1000));
        assertThatThrownBy(() -> Figures.parse("1 2 3"))
                .hasMessage("line: 1 2 3 (expected: seven numbers)");
    }

    @Test
    void shouldReadBackTheLineOfACrowd() {
        CrowdFigures figures = new CrowdFigures(1024, Double.NaN, 2.5, 10);

        assertThat(CrowdFigures.parse(figures.toLine())).isEqualTo(figures);
        assertThatThrownBy(() -> CrowdFigures.parse("1 2"))
                .hasMessage("line: 1 2 (expected: four numbers)");
    }

    @Test
    void shouldMeasureEverySizeWithOneCallAndWithMany() {
        assertThat(Cell.usual())
                .hasSize(8)
                .contains(ONE, MANY, new Cell(1 << 20, 1), new Cell(1 << 20, 8));
    }
}
