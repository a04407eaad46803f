// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.verbena.testing.Eventually;
import io.verbena.testing.Thrown;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** User code that throws whatever can be thrown. */
@Timeout(60)
class CallbackFaultTest {
    /** Completes with the first message, or fails at it. */
    private static final class Listening implements MessageListener {
        private final Optional<Thrown> thrown;
        final CompletableFuture<Integer> length = new CompletableFuture<>();

        Listening(Optional<Thrown> thrown) {
            this.thrown = thrown;
        }

        @Override
        public void onMessage(int nodeId, int flag, MemorySegment memory, long offset, int bytes) {
            thrown.ifPresent(Thrown::raise);
            length.complete(bytes);
        }

        @Override
        public void onEnd(Optional<IOException> failure) {}
    }

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldLoseOnlySocketWhoseListenerThrows(Thrown thrown) throws Exception {
        try (Stacks stacks = new Stacks(Stacks.NATIVE)) {
            Stacks.Pair ill = stacks.pair();
            Stacks.Pair well = stacks.pair();
            ill.server().listen(new Listening(Optional.of(thrown)));
            Listening listening = new Listening(Optional.empty());
            well.server().listen(listening);

            ill.client().send(Stacks.text("fatal"));

            Eventually.become(ill.server()::isClosed, () -> "open");
            Eventually.become(() -> ill.client().endpoint().isEnded(), () -> ill);
            well.client().send(Stacks.text("harmless"));
            assertThat(listening.length.get(10, TimeUnit.SECONDS)).isEqualTo(8);
        }
    }

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldLoseNothingButMessageIfHandlerThrows(Thrown thrown) throws Exception {
        try (Stacks stacks = new Stacks(Stacks.NATIVE)) {
            Stacks.Pair pair = stacks.pair();
            pair.client().send(Stacks.text("fatal"));
            pair.client().send(Stacks.text("harmless"));
            Eventually.become(pair.server().reader()::isReadable, () -> "nothing");

            Throwable found =
                    catchThrowable(
                            () ->
                                    pair.server()
                                            .poll(
                                                    (node, flag, memory, offset, length) ->
                                                            thrown.raise(),
                                                    10));

            assertRaised(found);
            assertThat(Stacks.next(pair.server())).isEqualTo("harmless");
        }
    }

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldKeepQueueGoingIfHandlerThrows(Thrown thrown) throws Exception {
        try (MessageQueueTest.Queue queue =
                        new MessageQueueTest.Queue(Stacks.NATIVE, GroupLimits.DEFAULT);
                MessageSender sender = queue.sender(1)) {
            sender.send(Stacks.text("single"));
            sender.sendMore(Stacks.text("first of group"));
            sender.send(Stacks.text("last of group"));
            sender.send(Stacks.text("harmless"));

            for (int i = 0; i < 3; i++) {
                Throwable found =
                        catchThrowable(
                                () ->
                                        queue.receiver.poll(
                                                (node, flag, memory, offset, length) ->
                                                        thrown.raise(),
                                                1,
                                                Stacks.LONG));
                assertRaised(found);
            }

            assertThat(queue.next()).isEqualTo("1:harmless");
            assertThat(queue.receiver.heldBytes()).isZero();
        }
    }

    /** Prints nothing of it: that might throw, too. */
    private static void assertRaised(Throwable found) {
        assertThat(found != null).as("raised").isTrue();
    }
}
