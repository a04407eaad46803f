// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a user of sockets relies on, with both protocols. */
class RdmaSocketTest {
    @ParameterizedTest
    @EnumSource(Compatibility.class)
    void shouldCarryMessagesBothWays(Compatibility protocol) throws IOException {
        try (Stacks stacks = new Stacks(Stacks.options(protocol))) {
            Stacks.Pair pair = stacks.pair();

            pair.client().send(Stacks.text("question"));
            String question = Stacks.next(pair.server());
            pair.server().send(Stacks.text("answer"));
            String answer = Stacks.next(pair.client());

            assertThat(question).isEqualTo("question");
            assertThat(answer).isEqualTo("answer");
            assertThat(pair.server().nodeId()).isEqualTo(7);
            assertThat(pair.server().isNative()).isEqualTo(protocol == Compatibility.NATIVE);
        }
    }

    @ParameterizedTest
    @EnumSource(Compatibility.class)
    void shouldKeepOrderAndBoundariesOfMessagesOfAllSizes(Compatibility protocol) throws Exception {
        try (Stacks stacks = new Stacks(Stacks.options(protocol))) {
            Stacks.Pair pair = stacks.pair();
            int rounds = Stacks.rounds(20);
            int[] sizes = {0, 1, 7, 64, 4088, 4089, 8192, 8193, 65_536, 1 << 20, 3 << 20, 0, 5};
            Thread sender =
                    Thread.ofVirtual()
                            .name("sender")
                            .start(() -> sendAll(pair.client(), sizes, rounds));

            Random random = new Random(1);
            for (int round = 0; round < rounds; round++) {
                for (int size : sizes) {
                    try (IncomingMessage message =
                            pair.server().receiveMessage(Stacks.LONG).orElseThrow()) {
                        assertThat(message.toByteArray()).isEqualTo(bytes(random, size));
                    }
                }
            }
            sender.join();
        }
    }

    private static void sendAll(RdmaSocket socket, int[] sizes, int rounds) {
        Random random = new Random(1);
        try {
            for (int round = 0; round < rounds; round++) {
                for (int size : sizes) {
                    socket.send(ByteBuffer.wrap(bytes(random, size)));
                }
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static byte[] bytes(Random random, int size) {
        byte[] bytes = new byte[size];
        random.nextBytes(bytes);
        return bytes;
    }

    @ParameterizedTest
    @EnumSource(Compatibility.class)
    void shouldDeliverWhatWasSentBeforeClose(Compatibility protocol) throws IOException {
        try (Stacks stacks = new Stacks(Stacks.options(protocol))) {
            Stacks.Pair pair = stacks.pair();

            for (int i = 0; i < 5; i++) {
                pair.client().send(Stacks.text("message " + i));
            }
            pair.client().close();

            for (int i = 0; i < 5; i++) {
                assertThat(Stacks.next(pair.server())).isEqualTo("message " + i);
            }
            assertThat(Stacks.next(pair.server())).isEqualTo("(end)");
            assertThatThrownBy(() -> pair.server().send(Stacks.text("late")))
                    .isInstanceOf(SocketException.class);
            pair.server().close();
        }
    }

    @ParameterizedTest
    @EnumSource(Compatibility.class)
    void shouldTimeOutAndGoOn(Compatibility protocol) throws IOException {
        try (Stacks stacks = new Stacks(Stacks.options(protocol))) {
            Stacks.Pair pair = stacks.pair();
            ByteBuffer target = ByteBuffer.allocate(10);

            assertThatThrownBy(() -> pair.server().receive(target, Duration.ofMillis(5)))
                    .isInstanceOf(SocketTimeoutException.class);
            assertThat(pair.server().tryReceive(target)).isEqualTo(RdmaSocket.NO_MESSAGE);

            pair.client().send(Stacks.text("late"));
            assertThat(pair.server().receive(target, Stacks.LONG)).isEqualTo(4);
        }
    }

    @ParameterizedTest
    @EnumSource(Compatibility.class)
    void shouldKeepMessageThatDoesNotFit(Compatibility protocol) throws IOException {
        try (Stacks stacks = new Stacks(Stacks.options(protocol))) {
            Stacks.Pair pair = stacks.pair();
            pair.client().send(Stacks.text("eleven chars"));

            assertThatThrownBy(() -> pair.server().receive(ByteBuffer.allocate(3)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("at least 12");
            assertThat(Stacks.next(pair.server())).isEqualTo("eleven chars");
        }
    }

    @ParameterizedTest
    @EnumSource(Compatibility.class)
    void shouldRefuseUseAfterClose(Compatibility protocol) throws IOException {
        try (Stacks stacks = new Stacks(Stacks.options(protocol))) {
            Stacks.Pair pair = stacks.pair();
            pair.client().close();
            pair.client().close();

            assertThatThrownBy(() -> pair.client().send(Stacks.text("x")))
                    .isInstanceOf(ClosedChannelException.class);
            assertThatThrownBy(() -> pair.client().receive(ByteBuffer.allocate(1)))
                    .isInstanceOf(ClosedChannelException.class);
        }
    }

    @ParameterizedTest
    @EnumSource(Compatibility.class)
    void shouldSayThatNobodyListens(Compatibility protocol) throws IOException {
        try (Stacks stacks = new Stacks(Stacks.options(protocol))) {
            var address = stacks.server.localAddress();
            stacks.server.close();

            // repeated, because the flushed receives and the refusal arrive on different threads
            for (int i = 0; i < 50; i++) {
                assertThatThrownBy(() -> RdmaSocket.connect(stacks.clientStack, address, 1))
                        .isInstanceOf(ConnectException.class)
                        .hasCauseInstanceOf(io.verbena.verbs.VerbsException.class);
            }
        }
    }
}
