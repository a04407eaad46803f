// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.verbena.verbs.Devices;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

/** {@code bench stream}, with real processes where it measures. */
final class StreamCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String line) {
        return new CommandLine(new BenchCommand())
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .setExecutionExceptionHandler(
                        (failure, command, parsed) -> {
                            command.getErr().println(failure.getMessage());
                            return 1;
                        })
                .execute(line.split(" ", -1));
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

    @Test
    void shouldGiveBackAnOrder() {
        StreamOrder order = new StreamOrder(StreamOrder.Task.COUNT, 1 << 20);

        assertThat(order.encode()).hasSize(StreamOrder.LENGTH);
        assertThat(StreamOrder.decode(order.encode())).isEqualTo(order);
    }

    @Test
    void shouldRefuseAnUnknownOrder() {
        assertThatThrownBy(() -> StreamOrder.decode(new byte[] {17, 0, 0, 0, 0}))
                .isInstanceOf(BenchException.class)
                .hasMessageContaining("17");
    }

    @Test
    void shouldEndARunWithItsLastExchange() {
        StreamRun run = new StreamRun(2);

        assertThat(run.tryStart()).isTrue();
        assertThat(run.tryStart()).isTrue();
        assertThat(run.tryStart()).isFalse();
        run.onEnd();
        run.onEnd();

        assertThat(run.await().medianNs()).isNotNegative();
    }
}
