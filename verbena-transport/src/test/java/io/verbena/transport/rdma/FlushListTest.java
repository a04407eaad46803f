// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.Thrown;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FlushListTest {
    private final FlushList list = new FlushList();
    private final AtomicInteger done = new AtomicInteger();

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldDoTheOthersWhenOneFails(Thrown thrown) {
        FlushList.Entry faulty = new FlushList.Entry(thrown::raise);
        list.add(new FlushList.Entry(done::incrementAndGet));
        list.add(faulty);
        list.add(new FlushList.Entry(done::incrementAndGet));

        list.flush();

        assertThat(done).hasValue(2);
        // it is not lost either: it can be listed again
        list.add(faulty);
        assertThat(list.isEmpty()).isFalse();
    }
}
