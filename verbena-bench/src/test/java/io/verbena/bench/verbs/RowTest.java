// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.verbena.bench.measure.Entry;
import io.verbena.bench.measure.Measurement;
import io.verbena.bench.measure.Plan;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class RowTest {
    private static Entry entry(List<Measurement> runs) {
        Iterator<Measurement> next = runs.iterator();
        return new Entry(_ -> next.next(), 2, 0);
    }

    private static Measurement copy(double bytesPerSecond) {
        return new Measurement(new long[] {1}, 1, MemoryCopy.BLOCK * 1e9 / bytesPerSecond, 0);
    }

    @Test
    void shouldTakeTheMedianOfEachFigureOverTheRuns() {
        List<Measurement> runs =
                List.of(
                        new Measurement(new long[] {1000, 9000}, 2, 10_000, 5),
                        new Measurement(new long[] {2000, 4000}, 2, 6_000, 4),
                        new Measurement(new long[] {3000, 5000}, 2, 8_000, 6));
        Row.Entries entries =
                new Row.Entries(
                        Optional.of(entry(runs)),
                        entry(runs),
                        Optional.empty(),
                        entry(List.of(copy(1e9), copy(3e9), copy(2e9))),
                        Optional.empty());
        new Plan(3).run(entries.inTurn());

        Row row = Row.of(TestKind.SEND_LAT, 1 << 20, entries);

        assertThat(row.minUs()).isEqualTo(2);
        assertThat(row.p50Us()).isEqualTo(4);
        assertThat(row.maxUs()).isEqualTo(5);
        assertThat(row.mbPerSecond()).isCloseTo(2e9 / 8_000, within(1e-6));
        assertThat(row.floorUs()).hasValue(4);
        assertThat(row.aloneP50Us()).isEmpty();
        assertThat(row.perftest()).isEmpty();
        assertThat(row.copyMbPerSecond()).isCloseTo(2e9 / (1 << 20), within(1e-6));
    }
}
