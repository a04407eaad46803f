// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.testing.Eventually;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One receiver and its senders. */
class MessageQueueTest {
    /** A receiver on one device, senders on another. */
    static final class Queue implements AutoCloseable {
        final SocketStack receiving;
        final SocketStack sending;
        final MessageReceiver receiver;

        Queue(SocketOptions options, GroupLimits limits) throws IOException {
            receiving = SocketStack.open(Stacks.SERVER_DEVICE, options);
            sending = SocketStack.open(Stacks.CLIENT_DEVICE, options);
            receiver = MessageReceiver.bind(receiving, Stacks.anyPort(), limits);
        }

        Queue(Compatibility protocol) throws IOException {
            this(Stacks.options(protocol), GroupLimits.DEFAULT);
        }

        MessageSender sender(int nodeId) throws IOException {
            return MessageSender.connect(sending, receiver.localAddress(), nodeId);
        }

        /** {@return the next message as "node:text", with a plus if more follow} */
        String next() throws IOException {
            Message message = receiver.receive(Stacks.LONG).orElseThrow();
            return message.nodeId() + ":" + message.text() + (message.hasMore() ? "+" : "");
        }

        /** Waits until the receiver knows that something of a sender has arrived. */
        void awaitReadable(int nodeId) {
            Eventually.be(
                    true,
                    () ->
                            receiving.sockets().stream()
                                    .anyMatch(
                                            s -> s.nodeId() == nodeId && s.reader().isReadable()));
            // whoever has made it readable tells the receiver before it leaves the turn
            assertThat(receiving.loop().inTurn(() -> {})).isTrue();
        }

        List<String> next(int count) throws IOException {
            List<String> messages = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                messages.add(next());
            }
            return messages;
        }

        @Override
        public void close() {
            receiver.close();
            sending.close();
            Eventually.become(
                    () -> receiving.memory().outstanding() == 0,
                    () -> receiving.memory().outstanding() + " blocks of the receiver");
            receiving.close();
        }
    }

    @ParameterizedTest
    @EnumSource(Compatibility.class)
    void shouldKeepOrderOfSenderAndSayWhoItIs(Compatibility protocol) throws Exception {
        try (Queue queue = new Queue(protocol);
                MessageSender sender = queue.sender(3)) {
            Thread sending = Thread.ofVirtual().name("sender").start(() -> sendTexts(sender, 300));

            assertThat(queue.next(300))
                    .isEqualTo(IntStream.range(0, 300).mapToObj(i -> "3:m" + i).toList());
            sending.join();
        }
    }

    @Test
    void shouldPollUntilTimeIsUpThoughSendersCall() throws IOException {
        try (Queue queue = new Queue(Compatibility.NATIVE);
                MessageSender sender = queue.sender(3)) {
            List<Integer> lengths = new ArrayList<>();
            MessageHandler handler = (_, _, _, _, length) -> lengths.add(length);
            sender.sendMore(Stacks.text("half a group"));
            Duration wait = Duration.ofMillis(100);

            long start = System.nanoTime();
            assertThat(queue.receiver.poll(handler, 10, wait)).isZero();
            assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(wait.toNanos());

            sender.send(Stacks.text("the end"));
            assertThat(queue.receiver.poll(handler, 10, Stacks.LONG)).isEqualTo(2);
            assertThat(lengths).containsExactly(12, 7);
            assertThatThrownBy(() -> queue.receiver.poll(handler, 0, wait))
                    .hasMessageContaining("limit: 0");
        }
    }

    private static void sendTexts(MessageSender sender, int count) {
        try {
            for (int i = 0; i < count; i++) {
                sender.send(Stacks.text("m" + i));
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @EnumSource(Compatibility.class)
    void shouldDeliverGroupInOnePieceWhenItIsWhole(Compatibility protocol) throws IOException {
        try (Queue queue = new Queue(protocol);
                MessageSender grouping = queue.sender(1);
                MessageSender single = queue.sender(2)) {
            grouping.sendMore(Stacks.text("a"));
            grouping.sendMore(Stacks.text(""));
            single.send(Stacks.text("between"));
            assertThat(queue.next()).isEqualTo("2:between");
            assertThat(queue.receiver.receive(Duration.ofMillis(20))).isEmpty();

            grouping.send(Stacks.text("z"));
            single.send(Stacks.text("after"));

            List<String> all = queue.next(4);
            int first = all.indexOf("1:a+");
            assertThat(all.subList(first, first + 3)).containsExactly("1:a+", "1:+", "1:z");
        }
    }

    @ParameterizedTest
    @EnumSource(Compatibility.class)
    void shouldTakeGroupsOfManyMoreFramesThanThereAreCredits(Compatibility protocol)
            throws Exception {
        try (Queue queue = new Queue(protocol);
                MessageSender sender = queue.sender(1)) {
            Thread sending =
                    Thread.ofVirtual().name("sender").start(() -> sendGroup(sender, 500, 300));

            for (int i = 0; i < 500; i++) {
                Message message = queue.receiver.receive(Stacks.LONG).orElseThrow();
                assertThat(message.bytes()).hasSize(300);
                assertThat(message.bytes()[0]).isEqualTo((byte) i);
                assertThat(message.hasMore()).isEqualTo(i < 499);
            }
            sending.join();
            assertThat(queue.receiver.heldBytes()).isZero();
        }
    }

    private static void sendGroup(MessageSender sender, int frames, int bytes) {
        try {
            for (int i = 0; i < frames; i++) {
                ByteBuffer frame = ByteBuffer.allocate(bytes).put(0, (byte) i);
                if (i < frames - 1) {
                    sender.sendMore(frame);
                } else {
                    sender.send(frame);
                }
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @EnumSource(Compatibility.class)
    void shouldDeliverFramesOfSenderThatDiesInsideGroup(Compatibility protocol) throws IOException {
        try (Queue queue = new Queue(protocol);
                MessageSender other = queue.sender(2)) {
            MessageSender dying = queue.sender(1);
            dying.sendMore(Stacks.text("one"));
            dying.sendMore(Stacks.text("two"));
            // both frames arrive meanwhile
            assertThat(queue.receiver.receive(Duration.ofMillis(500))).isEmpty();
            dying.socket().abort();

            assertThat(queue.next(2)).containsExactly("1:one+", "1:two+");
            other.send(Stacks.text("alive"));
            assertThat(queue.next()).isEqualTo("2:alive");
            Eventually.be(1, queue.receiver::senders);
        }
    }

    @Test
    void shouldCutSenderWhoseGroupIsTooLarge() throws IOException {
        try (Queue queue = new Queue(Stacks.NATIVE, new GroupLimits(1000, 10_000))) {
            MessageSender greedy = queue.sender(1);
            for (int i = 0; i < 4; i++) {
                greedy.sendMore(ByteBuffer.allocate(300));
            }

            for (int i = 0; i < 2; i++) {
                assertThat(queue.receiver.receive(Stacks.LONG).orElseThrow().hasMore()).isTrue();
            }
            Eventually.be(true, () -> greedy.socket().endpoint().isLeaving());
            greedy.socket().abort();
        }
    }

    @Test
    void shouldGetAllGroupsThroughThoughTheyDoNotFitTogether() throws Exception {
        int senders = 8;
        try (Queue queue = new Queue(Stacks.NATIVE, new GroupLimits(20_000, 10_000))) {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < senders; i++) {
                MessageSender sender = queue.sender(i);
                threads.add(
                        Thread.ofVirtual()
                                .name("sender-" + i)
                                .start(() -> sendGroup(sender, 40, 400)));
            }

            for (int group = 0; group < senders; group++) {
                int node = queue.receiver.receive(Stacks.LONG).orElseThrow().nodeId();
                for (int frame = 1; frame < 40; frame++) {
                    Message message = queue.receiver.receive(Stacks.LONG).orElseThrow();
                    assertThat(message.nodeId()).isEqualTo(node);
                    assertThat(queue.receiver.heldBytes()).isLessThanOrEqualTo(30_000);
                }
            }
            for (Thread thread : threads) {
                thread.join();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Compatibility.class)
    void shouldHoldUpFastSenderAndNoOther(Compatibility protocol) throws Exception {
        try (Queue queue = new Queue(protocol);
                MessageSender fast = queue.sender(1);
                MessageSender slow = queue.sender(2)) {
            int sent = 0;
            try {
                while (true) {
                    fast.send(ByteBuffer.allocate(2000), Duration.ofMillis(100));
                    sent++;
                }
            } catch (SocketTimeoutException e) {
                assertThat(sent).isBetween(10, 2000);
            }
            slow.send(Stacks.text("through"));
            queue.awaitReadable(2);

            // fair: the slow sender's message comes long before all of the fast one's
            int before = 0;
            while (queue.receiver.receive(Stacks.LONG).orElseThrow().nodeId() == 1) {
                before++;
            }
            assertThat(before).isLessThanOrEqualTo(64);
            for (int i = before; i < sent; i++) {
                assertThat(queue.receiver.receive(Stacks.LONG).orElseThrow().nodeId()).isEqualTo(1);
            }
        }
    }

    @Test
    void shouldTakeTurnsAmongSenders() throws Exception {
        try (Queue queue = new Queue(Compatibility.NATIVE);
                MessageSender first = queue.sender(1);
                MessageSender second = queue.sender(2)) {
            // about ten messages to a frame: more than a quantum arrives on the other side at once
            for (int i = 0; i < 100; i++) {
                first.send(ByteBuffer.allocate(400));
                second.send(ByteBuffer.allocate(400));
            }
            queue.awaitReadable(1);
            queue.awaitReadable(2);

            int run = 0;
            int last = 0;
            int changes = 0;
            for (int i = 0; i < 200; i++) {
                int node = queue.receiver.receive(Stacks.LONG).orElseThrow().nodeId();
                run = node == last ? run + 1 : 1;
                changes += node == last ? 0 : 1;
                last = node;
            }
            assertThat(changes).isGreaterThanOrEqualTo(3);
            assertThat(run).isLessThan(100);
        }
    }

    @Test
    void shouldRefuseUseAfterClose() throws IOException {
        try (Queue queue = new Queue(Compatibility.NATIVE)) {
            queue.receiver.close();
            queue.receiver.close();

            assertThatThrownBy(queue.receiver::receive).isInstanceOf(ClosedChannelException.class);
            assertThatThrownBy(queue.receiver::poll).isInstanceOf(ClosedChannelException.class);
        }
    }

    @Test
    void shouldWakeReceiverThatWaitsWhenClosed() throws Exception {
        try (Queue queue = new Queue(Compatibility.NATIVE)) {
            Thread receiving =
                    Thread.ofVirtual()
                            .name("receiver")
                            .start(
                                    () ->
                                            assertThatThrownBy(queue.receiver::receive)
                                                    .isInstanceOf(ClosedChannelException.class));
            Eventually.be(Thread.State.WAITING, receiving::getState);
            queue.receiver.close();
            assertThat(receiving.join(Stacks.LONG)).isTrue();
        }
    }
}
