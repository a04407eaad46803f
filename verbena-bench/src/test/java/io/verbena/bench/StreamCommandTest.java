// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.verbena.verbs.Devices;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code bench stream}, with real processes where it measures. */
final class StreamCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String line) {
        return BenchProgram.run(line, out, err);
    }

    @Test
    @Timeout(180)
    void shouldMeasureAllWays() {
        assumeFalse(Devices.list().isEmpty(), "no RDMA device, not even the software device");

        int exit = run("stream --rounds 1 --echoes 200 --writes 20 --idle 20 --json");

        assertThat(err.toString()).isEmpty();
        assertThat(exit).isZero();
        Map<String, String> row = FlatJson.parse(out.toString());
        assertThat(row).containsEntry("test", "stream").containsEntry("idle_connections", "20");
        for (String figure :
                List.of(
                        "echo_raw_us",
                        "echo_rdma_us",
                        "echo_tcp_us",
                        "echo_netty_us",
                        "write_raw_mb_per_s",
                        "write_rdma_mb_per_s",
                        "write_tcp_mb_per_s",
                        "write_netty_mb_per_s")) {
            assertThat(Double.parseDouble(row.get(figure))).as(figure).isPositive();
        }
    }

    @Test
    void shouldStillAskForATestIfThereIsNone() {
        int exit = run("--json");

        assertThat(exit).isEqualTo(2);
        assertThat(err.toString()).contains("TEST").contains("stream");
    }
}
