// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WorkRequestIdTest {
    @ParameterizedTest
    @CsvSource({"0,0,0", "1,2,3", "-1,65535,65535", "-2147483648,32768,4096", "7,65535,0"})
    void shouldGiveBackWhatWasPutIn(int generation, int slot, int count) {
        long id = WorkRequestId.of(generation, slot, count);

        assertThat(WorkRequestId.generation(id)).isEqualTo(generation);
        assertThat(WorkRequestId.slot(id)).isEqualTo(slot);
        assertThat(WorkRequestId.count(id)).isEqualTo(count);
    }
}
