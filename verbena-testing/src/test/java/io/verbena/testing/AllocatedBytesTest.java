// SPDX-License-Identifier: Apache-2.0
package io.verbena.testing;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AllocatedBytesTest {
    private byte[] kept = {};

    @Test
    void shouldCountWhatARunAllocates() {
        assertThat(AllocatedBytes.leastOf(() -> kept = new byte[1000])).isBetween(1000L, 1100L);
        assertThat(AllocatedBytes.leastOf(() -> kept[0]++)).isZero();
    }

    @Test
    void shouldCountByThread() {
        long before = AllocatedBytes.by(Thread.currentThread());
        kept = new byte[100_000];

        assertThat(AllocatedBytes.by(Thread.currentThread()) - before)
                .isGreaterThanOrEqualTo(100_000);
    }
}
