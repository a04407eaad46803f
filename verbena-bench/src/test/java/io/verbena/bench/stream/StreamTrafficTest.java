// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.tools.ToolException;
import org.junit.jupiter.api.Test;

final class StreamTrafficTest {
    @Test
    void shouldGiveBackAnOrder() {
        StreamOrder order = new StreamOrder(StreamOrder.Task.COUNT, 1 << 20);

        assertThat(order.encode()).hasSize(StreamOrder.LENGTH);
        assertThat(StreamOrder.decode(order.encode())).isEqualTo(order);
    }

    @Test
    void shouldRefuseAnUnknownOrder() {
        assertThatThrownBy(() -> StreamOrder.decode(new byte[] {17, 0, 0, 0, 0}))
                .isInstanceOf(ToolException.class)
                .hasMessageContaining("17");
    }

    @Test
    void shouldEndARunWithItsLastExchange() {
        StreamTraffic.Run run = new StreamTraffic.Run(2);

        assertThat(run.tryStart()).isTrue();
        assertThat(run.tryStart()).isTrue();
        assertThat(run.tryStart()).isFalse();
        run.onEnd();
        run.onEnd();

        assertThat(run.await().medianNs()).isNotNegative();
    }
}
