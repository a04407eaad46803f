// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.Eventually;
import org.junit.jupiter.api.Test;

class MakersGateTest {
    private final MakersGate gate = new MakersGate();

    @Test
    void shouldLetNobodyInOnceItIsClosed() {
        assertThat(gate.tryEnter()).isTrue();
        gate.leave();
        gate.close();

        assertThat(gate.tryEnter()).isFalse();
        gate.close();
    }

    @Test
    void shouldWaitForThoseInside() throws Exception {
        assertThat(gate.tryEnter()).isTrue();
        assertThat(gate.tryEnter()).isTrue();
        Thread closer = Thread.ofPlatform().start(gate::close);
        Eventually.be(Thread.State.WAITING, closer::getState);
        assertThat(gate.tryEnter()).isFalse();

        gate.leave();
        assertThat(closer.isAlive()).isTrue();
        gate.leave();

        closer.join();
    }
}
