// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

final class PlanTest {
    private final List<String> turns = new ArrayList<>();

    private Entry entry(String name, int warmup) {
        Lane lane =
                count -> {
                    turns.add(name + count);
                    return Measurement.ofWhole(count, turns.size());
                };
        return new Entry(lane, 5, warmup);
    }

    @Test
    void shouldGiveEachLaneItsTurnInEachRound() {
        new Plan(2).run(List.of(entry("a", 0), entry("b", 0)));

        assertThat(turns).containsExactly("a5", "b5", "a5", "b5");
    }

    @Test
    void shouldWarmALaneUpBeforeTheFirstRound() {
        new Plan(1).run(List.of(entry("a", 0), entry("b", 2)));

        List<String> expected = new ArrayList<>(Collections.nCopies(Plan.WARMUPS, "b2"));
        expected.addAll(List.of("a5", "b5"));
        assertThat(turns).isEqualTo(expected);
    }

    @Test
    void shouldTakeTheMedianOverTheRounds() {
        Entry odd = entry("a", 0);
        Entry even = entry("b", 0);
        new Plan(3).run(List.of(odd));
        new Plan(2).run(List.of(even));

        assertThat(odd.median(Measurement::maxNs)).isEqualTo(2);
        assertThat(even.median(Measurement::maxNs)).isEqualTo(4.5);
    }

    @Test
    void shouldRefuseAPlanWithoutRounds() {
        assertThatThrownBy(() -> new Plan(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("rounds: 0");
    }
}
