// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

final class MeasurementTest {
    private static Measurement oneToHundred() {
        return new Measurement(LongStream.rangeClosed(1, 100).toArray(), 100, 1_000_000_000L, 7);
    }

    @Test
    void shouldTakeTheNearestRankForAPercentile() {
        Measurement measurement = oneToHundred();

        assertThat(measurement.percentileNs(0.99)).isEqualTo(99);
        assertThat(measurement.percentileNs(0.999)).isEqualTo(100);
        assertThat(measurement.percentileNs(0.0)).isEqualTo(1);
        assertThat(measurement.percentileNs(1.0)).isEqualTo(100);
    }

    @Test
    void shouldTakeTheMeanOfTheMiddleTwoForTheMedianOfAnEvenNumber() {
        assertThat(oneToHundred().medianNs()).isEqualTo(50.5);
        assertThat(new Measurement(new long[] {1, 5, 9}, 3, 15, 0).medianNs()).isEqualTo(5);
    }

    @Test
    void shouldDescribeASingleSample() {
        Measurement measurement = new Measurement(new long[] {42}, 1, 42, 0);

        assertThat(measurement.medianNs()).isEqualTo(42);
        assertThat(measurement.percentileNs(0.999)).isEqualTo(42);
        assertThat(measurement.deviationNs()).isZero();
    }

    @Test
    void shouldGiveMeanDeviationAndRate() {
        Measurement measurement = new Measurement(new long[] {2, 4, 4, 4, 5, 5, 7, 9}, 8, 4_000, 0);

        assertThat(measurement.averageNs()).isEqualTo(5);
        assertThat(measurement.deviationNs()).isEqualTo(2);
        assertThat(measurement.messagesPerSecond()).isCloseTo(2e6, within(1e-6));
    }

    @Test
    void shouldTurnTimeStampsIntoSortedDurations() {
        Measurement measurement = Measurement.ofStamps(new long[] {100, 130, 140, 160});

        assertThat(measurement.minNs()).isEqualTo(10);
        assertThat(measurement.medianNs()).isEqualTo(20);
        assertThat(measurement.maxNs()).isEqualTo(30);
        assertThat(measurement.messages()).isEqualTo(3);
        assertThat(measurement.messagesPerSecond()).isCloseTo(3e9 / 60, within(1.0));
    }

    @Test
    void shouldRejectARunWithoutSamples() {
        assertThatThrownBy(() -> Measurement.ofStamps(new long[] {1}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expected: >= 1");
    }
}
