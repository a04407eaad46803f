// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.verbena.verbs.Devices;
import java.io.StringWriter;
import java.util.Map;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code bench socket} and {@code bench mq}, with real processes. */
final class SocketBenchTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @ParameterizedTest
    @CsvSource({
        "socket, echo_us large_mb_per_s large_copied_mb_per_s",
        "mq, small_per_s large_mb_per_s"
    })
    @Timeout(180)
    void shouldMeasureBesideVerbs(String test, String figures) {
        assumeFalse(Devices.list().isEmpty(), "no RDMA device, not even the software device");

        int exit = BenchProgram.run(test + " --rounds 1 --smalls 500 --larges 10 --json", out, err);

        assertThat(err.toString()).isEmpty();
        assertThat(exit).isZero();
        Map<String, String> row = FlatJson.parse(out.toString());
        assertThat(row).containsEntry("test", test);
        for (String figure : figures.split(" ", -1)) {
            assertThat(Double.parseDouble(row.get(figure))).as(figure).isPositive();
            assertThat(Double.parseDouble(row.get(figure + "_to_raw"))).as(figure).isPositive();
        }
    }
}
