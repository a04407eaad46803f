// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.testing.Eventually;
import io.verbena.testing.Thrown;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.WorkCompletion;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Queues that fail in any way, and connections that cannot be told: nobody else suffers. */
@Timeout(60)
class CompletionPortTest {
    /** Throws from polling and arming. Not a proxy: that would declare what it throws. */
    private record FaultyQueue(Thrown thrown) implements CompletionQueue {
        @Override
        public int depth() {
            return 1;
        }

        @Override
        public int poll(WorkCompletion completions) {
            thrown.raise();
            return 0;
        }

        @Override
        public void requestNotification(Notification notification) {
            thrown.raise();
        }

        @Override
        public void acknowledgeEvents(int count) {}

        @Override
        public void close() {}
    }

    private static void assertFailed(Stacks.Pair pair) {
        assertThatThrownBy(() -> pair.server().receive(ByteBuffer.allocate(100)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("completion queue failed");
        Eventually.become(() -> pair.client().endpoint().isEnded(), () -> pair);
    }

    private static void assertCarries(Stacks.Pair pair) throws IOException {
        pair.client().send(Stacks.text("question"));
        assertThat(Stacks.next(pair.server())).isEqualTo("question");
    }

    private static void occupy(CompletionPort port, Stacks.Pair pair) {
        port.occupy(port.claim(), pair.server().endpoint());
    }

    /** The first connection cannot even be told. */
    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldEndEachConnectionWhateverPollingThrows(Thrown thrown) throws Exception {
        try (Stacks stacks = new Stacks(Stacks.NATIVE);
                Arena arena = Arena.ofShared()) {
            Stacks.Pair clumsy = stacks.pair();
            clumsy.server().endpoint().readiness(thrown::raise);
            Stacks.Pair ill = stacks.pair();
            Stacks.Pair well = stacks.pair();
            CompletionPort port = new CompletionPort(new FaultyQueue(thrown));
            occupy(port, clumsy);
            occupy(port, ill);
            WorkCompletion cursor = WorkCompletion.allocate(arena, CompletionPort.BATCH);

            assertThat(stacks.serverStack.loop().inTurn(() -> port.poll(cursor))).isTrue();

            assertFailed(ill);
            // only then: it cannot wake a thread that waits for it
            Eventually.become(() -> clumsy.server().endpoint().isEnded(), () -> clumsy);
            assertFailed(clumsy);
            assertThat(port.hasRoom()).isFalse();
            assertCarries(well);
        }
    }

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldEndEachConnectionWhateverArmingThrows(Thrown thrown) throws Exception {
        try (Stacks stacks = new Stacks(Stacks.NATIVE)) {
            Stacks.Pair ill = stacks.pair();
            CompletionPort port = new CompletionPort(new FaultyQueue(thrown));
            occupy(port, ill);

            assertThat(stacks.serverStack.loop().inTurn(port::arm)).isTrue();

            assertFailed(ill);
            assertThat(port.hasRoom()).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldEndOnlyTheConnectionThatCannotBeTold(Thrown thrown) throws Exception {
        try (Stacks stacks = new Stacks(Stacks.NATIVE)) {
            Stacks.Pair ill = stacks.pair();
            Stacks.Pair well = stacks.pair();
            assertThat(well.server().endpoint().port()).isEqualTo(ill.server().endpoint().port());
            ill.server().endpoint().readiness(thrown::raise);

            ill.client().send(Stacks.text("fatal"));

            Eventually.become(() -> ill.server().endpoint().isEnded(), () -> ill);
            assertThat(ill.server().endpoint().failure())
                    .hasValueSatisfying(e -> assertThat(e).hasMessageContaining(thrown.trace()));
            assertCarries(well);
        }
    }
}
