// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.bench.FlatJson;
import io.verbena.verbs.Gid;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

final class RowReportTest {
    private static final StationAddress PEER =
            new StationAddress(Gid.ZERO, 0, 1, 5, 16, 16, 0, 0, 0, 0);

    private static Conditions conditions(TestKind test, int idlePairs) {
        TestPlan plan =
                new TestPlan(
                        test,
                        List.of(8),
                        1000,
                        0,
                        3,
                        128,
                        512,
                        1,
                        TestPlan.WORKING_SET,
                        0,
                        false,
                        BufferMemory.DEVICE,
                        AtomicKind.FETCH_AND_ADD,
                        idlePairs);
        OptionalLong idle = idlePairs > 0 ? OptionalLong.of(20480) : OptionalLong.empty();
        return new Conditions(plan, "so\"ft\\0", "Memory", 4096, 0, 64, PEER, PEER, idle, idle);
    }

    private static Row row(OptionalDouble floor, OptionalDouble alone) {
        return new Row(
                8,
                1000,
                0.8,
                1.0,
                2.0,
                4.0,
                50.0,
                1.1,
                0.2,
                1e6,
                2e6,
                alone,
                floor,
                floor,
                1e10,
                OptionalDouble.empty());
    }

    @Test
    void shouldPrintAJsonObjectThatCanBeReadBack() {
        String line =
                json(
                        conditions(TestKind.SEND_LAT, 0),
                        row(OptionalDouble.of(0.25), OptionalDouble.empty()));

        Map<String, String> json = FlatJson.parse(line);

        assertThat(json)
                .containsKeys(
                        "test",
                        "device",
                        "bytes",
                        "iterations",
                        "rtt_p50_us",
                        "rtt_p99_us",
                        "rtt_p999_us",
                        "msgs_per_s",
                        "mb_per_s",
                        "floor_rtt_us",
                        "memcpy_mb_per_s");
        assertThat(json)
                .containsEntry("test", "send_lat")
                .containsEntry("device", "so\"ft\\0")
                .containsEntry("bytes", "8")
                .containsEntry("idle_pairs", "0");
        assertThat(Double.parseDouble(json.get("rtt_p50_us"))).isEqualTo(1.0);
        assertThat(Double.parseDouble(json.get("p50_to_floor"))).isEqualTo(4.0);
        assertThat(json).doesNotContainKey("alone_rtt_p50_us");
    }

    @Test
    void shouldPrintNullForWhatWasNotMeasured() {
        String line =
                json(
                        conditions(TestKind.SEND_LAT, 0),
                        row(OptionalDouble.empty(), OptionalDouble.empty()));

        assertThat(FlatJson.parse(line))
                .containsEntry("floor_rtt_us", "null")
                .containsEntry("p50_to_floor", "null");
    }

    @Test
    void shouldCompareWithAndWithoutIdlePairs() {
        String line =
                json(
                        conditions(TestKind.SEND_LAT, 1000),
                        row(OptionalDouble.of(0.25), OptionalDouble.of(0.8)));

        assertThat(FlatJson.parse(line))
                .containsEntry("idle_pairs", "1000")
                .containsEntry("p50_to_alone", "1.2500")
                .containsEntry("idle_pair_bytes_client", "20480")
                .containsEntry("idle_pair_bytes_server", "20480");
    }

    @Test
    void shouldPrintHalfOfTheRoundTripOfAPingPongAsPerftestDoes() {
        String text = text(TestKind.SEND_LAT);

        assertThat(text)
                .contains("#bytes", "t_min[usec]", "99% percentile[usec]", "99.9% percentile[usec]")
                .containsPattern(
                        "(?m)^ 8 +1000 +0\\.400 +25\\.000 +0\\.500 +0\\.550 +0\\.100 +1\\.000 +2\\.000$")
                .contains("p50 x 4.00, p99 x 8.00");
    }

    @Test
    void shouldPrintTheWholeOperationOfAReadOrAtomic() {
        assertThat(text(TestKind.READ_LAT))
                .containsPattern("(?m)^ 8 +1000 +0\\.800 +50\\.000 +1\\.000");
        assertThat(text(TestKind.ATOMIC_LAT)).containsPattern("(?m)^ 8 +1000 +0\\.800");
    }

    @Test
    void shouldPrintTheColumnsOfABandwidthTest() {
        assertThat(text(TestKind.WRITE_BW))
                .contains("BW peak[MB/sec]", "BW average[MB/sec]", "MsgRate[Mpps]")
                .containsPattern("(?m)^ 8 +1000 +15\\.26 +7\\.63 +1\\.000000$");
    }

    private static String text(TestKind test) {
        StringWriter text = new StringWriter();
        PrintWriter out = new PrintWriter(text, true);
        Conditions conditions = conditions(test, 0);

        new TitleReport(conditions).printText(out);
        new RowReport(conditions, row(OptionalDouble.of(0.25), OptionalDouble.empty()))
                .printText(out);
        TitleReport.printRule(out);

        return text.toString();
    }

    private static String json(Conditions conditions, Row row) {
        StringWriter text = new StringWriter();
        new RowReport(conditions, row).printJson(new PrintWriter(text, true));
        return text.toString();
    }
}
