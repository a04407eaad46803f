// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.perf;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.bench.proto.PerfTestResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PerfLinesTest {
    @ParameterizedTest
    @CsvSource({"0, 0", "1, 1", "0.0178842449, 0.0178842", "907.25, 907.25", "12345.678, 12345.7"})
    void shouldShowANumberAsAStreamDoes(double value, String text) {
        assertThat(PerfLines.streamed(value)).isEqualTo(text);
    }

    @Test
    void shouldPrintTheLinesOfBrpc() {
        PerfTally tally = new PerfTally();
        tally.onAnswer(100, PerfTestResponse.newBuilder().setCpuUsage("0.5").build());
        tally.onAnswer(300, PerfTestResponse.newBuilder().setCpuUsage("").build());
        tally.onSecond();

        assertThat(PerfLines.header(1, 2, 3, false, true))
                .isEqualTo("[Threads: 1, Depth: 2, Attachment: 3B, RDMA: no, Echo: yes]");
        assertThat(PerfLines.result(tally, 1 << 20, 1_000_000))
                .startsWith(
                        "Avg-Latency: 200, 90th-Latency: 300, 99th-Latency: 300, 99.9th-Latency: 300,"
                                + " Throughput: 2000MB/s, QPS: 2k, Server CPU-utilization: 50%,"
                                + " Client CPU-utilization: ");
        assertThat(PerfLines.throughput(tally, 1 << 20, 1_000_000))
                .isEqualTo(" Throughput: 2000MB/s");
    }

    @Test
    void shouldKeepTheLastTenSeconds() {
        PerfTally tally = new PerfTally();
        PerfTestResponse response = PerfTestResponse.newBuilder().setCpuUsage("").build();
        tally.onAnswer(5000, response);
        for (int i = 0; i < 11; i++) {
            tally.onSecond();
            tally.onAnswer(1, response);
        }

        assertThat(tally.latencies().getMaxValue()).isEqualTo(1);
    }

    @Test
    void shouldHoldCallsBackOnceTheFirstTokensAreGone() throws InterruptedException {
        Tokens tokens = new Tokens(1000, 0);
        for (int i = 0; i < 10_000; i++) {
            tokens.take();
        }
        Thread late = Thread.ofVirtual().name("late").start(tokens::take);

        tokens.refill(9_000_000_000L);
        assertThat(late.isAlive()).isTrue();
        tokens.refill(10_002_000_000L);

        late.join(10_000);
        assertThat(late.isAlive()).isFalse();
    }
}
