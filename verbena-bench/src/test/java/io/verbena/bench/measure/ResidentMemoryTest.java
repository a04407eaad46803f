// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class ResidentMemoryTest {
    @Test
    void shouldReadTheResidentSetOfAStatusFile() {
        assertThat(ResidentMemory.parse("Name:\tjava\nVmRSS:\t   1234 kB\nRssAnon:\t 1 kB\n"))
                .hasValue(1234L << 10);
        assertThat(ResidentMemory.parse("Name:\tjava\n")).isEmpty();
    }

    @Test
    void shouldKnowNothingOfAProcessThatDoesNotExist() {
        assertThat(ResidentMemory.of(Long.MAX_VALUE)).isEmpty();
    }
}
