// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.RangeTable.Range;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RangeTableTest {
    private static final long MB = 1L << 20;

    private final RangeTable table = new RangeTable();

    @Test
    void shouldFindTheWholeRangeAndNothingBeside() {
        table.add(new Range(5 * MB + 4096, 7 * MB, 42));

        assertThat(table.lkey(5 * MB + 4096, 7 * MB)).isEqualTo(42);
        assertThat(table.lkey(9 * MB, 1)).isEqualTo(42);
        assertThat(table.lkey(12 * MB + 4095, 1)).isEqualTo(42);
        assertThat(table.lkey(12 * MB + 4095, 2)).isEqualTo(BlockPool.NOT_REGISTERED);
        assertThat(table.lkey(5 * MB + 4095, 2)).isEqualTo(BlockPool.NOT_REGISTERED);
        assertThat(table.lkey(0, 1)).isEqualTo(BlockPool.NOT_REGISTERED);
        assertThat(table.lkey(1L << 46, 1)).isEqualTo(BlockPool.NOT_REGISTERED);
    }

    @Test
    void shouldNotOverflowAtHugeLengths() {
        table.add(new Range(MB, MB, 1));

        assertThat(table.lkey(MB, Long.MAX_VALUE)).isEqualTo(BlockPool.NOT_REGISTERED);
    }

    @Test
    void shouldFindWhatCoversAmongOverlapping() {
        table.add(new Range(10 * MB, 100, 1));
        table.add(new Range(10 * MB, 1000, 2));
        table.add(new Range(10 * MB + 50, 10, 3));

        assertThat(table.lkey(10 * MB + 50, 10)).isIn(1L, 2L, 3L);
        assertThat(table.lkey(10 * MB + 55, 200)).isEqualTo(2);
        table.remove(new Range(10 * MB, 1000, 2));
        assertThat(table.lkey(10 * MB + 55, 200)).isEqualTo(BlockPool.NOT_REGISTERED);
        assertThat(table.lkey(10 * MB + 99, 1)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void shouldAnswerAsALinearSearchWould(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Range> model = new ArrayList<>();

        for (int i = 0; i < 3000; i++) {
            if (random.nextInt(3) > 0 || model.isEmpty()) {
                long length = 1L << random.nextInt(26);
                Range range = new Range(0x7f00_0000_0000L + random.nextLong(1L << 32), length, i);
                table.add(range);
                model.add(range);
            } else {
                table.remove(model.remove(random.nextInt(model.size())));
            }
            check(model, 0x7f00_0000_0000L + random.nextLong(1L << 32), 1 + random.nextInt(100));
            if (!model.isEmpty()) {
                Range some = model.get(random.nextInt(model.size()));
                check(model, some.address() + random.nextLong(some.length()), 1);
            }
        }
    }

    private void check(List<Range> model, long address, long length) {
        long found = table.lkey(address, length);
        if (found == BlockPool.NOT_REGISTERED) {
            assertThat(model).noneMatch(range -> range.contains(address, length));
        } else {
            assertThat(model)
                    .anyMatch(range -> range.lkey() == found && range.contains(address, length));
        }
    }
}
