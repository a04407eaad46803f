// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.Eventually;
import io.verbena.verbs.DeviceContext;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A handler that does not return: its receiver, socket and stack close all the same. */
@Timeout(20)
class KeptMessageTest {
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldCloseWhileAHandlerKeepsAMessage(boolean hasThreads) throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        CompletableFuture<Throwable> end = new CompletableFuture<>();
        try (SocketStack receiving = SocketStack.open(Stacks.SERVER_DEVICE, Stacks.NATIVE);
                SocketStack sending = SocketStack.open(Stacks.CLIENT_DEVICE, Stacks.NATIVE)) {
            MessageReceiver receiver = MessageReceiver.bind(receiving, Stacks.anyPort());
            if (!hasThreads) {
                receiver.threads(KeptMessageTest::refuse);
            }
            RdmaSocket sender = RdmaSocket.connect(sending, receiver.localAddress(), 7);
            sender.send(Stacks.text("kept"));
            Thread.ofPlatform()
                    .daemon()
                    .name("keeper")
                    .start(() -> keep(receiver, inside, done, end));
            inside.await();

            receiver.close();

            assertThat(end).isNotDone();
            done.countDown();
            assertThat(end.get(10, TimeUnit.SECONDS)).isInstanceOf(ClosedChannelException.class);
            // now it ends: the connection is gone, and nothing is held any more
            Eventually.become(() -> sender.endpoint().isEnded(), () -> sender);
            Eventually.become(() -> receiving.connections() == 0, receiving::connections);
            Eventually.become(
                    () -> receiving.memory().outstanding() == 0,
                    () -> receiving.memory().outstanding());
            assertThat(receiver.senders()).isZero();
        } finally {
            done.countDown();
        }
    }

    private static Thread refuse(Runnable task) {
        throw new OutOfMemoryError("thrown by the test, in place of a thread for " + task);
    }

    /** Keeps a message, and then finds it unchanged. */
    private static final class Keeper implements MessageListener {
        final CountDownLatch inside = new CountDownLatch(1);
        final CountDownLatch done = new CountDownLatch(1);
        final CompletableFuture<String> found = new CompletableFuture<>();
        final CompletableFuture<Optional<IOException>> end = new CompletableFuture<>();

        @Override
        public void onMessage(int nodeId, int flag, MemorySegment memory, long offset, int length) {
            inside.countDown();
            await(done);
            byte[] bytes = memory.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
            found.complete(new String(bytes, StandardCharsets.UTF_8));
        }

        @Override
        public void onEnd(Optional<IOException> failure) {
            end.complete(failure);
        }

        void attach(RdmaSocket socket, boolean isListening) {
            if (isListening) {
                socket.listen(this);
            } else {
                Thread.ofPlatform().daemon().name("keeper").start(() -> poll(socket));
            }
        }

        private void poll(RdmaSocket socket) {
            try {
                while (true) {
                    socket.poll(this, 2);
                    Thread.onSpinWait();
                }
            } catch (IOException e) {
                end.complete(Optional.of(e));
            }
        }

        void attach(MessageReceiver receiver) {
            Thread.ofPlatform().daemon().name("keeper").start(() -> poll(receiver));
        }

        private void poll(MessageReceiver receiver) {
            try {
                while (true) {
                    receiver.poll(this, 2, Stacks.LONG);
                }
            } catch (IOException e) {
                end.complete(Optional.of(e));
            }
        }

        void assertGoesOn() throws Exception {
            assertThat(found).isNotDone();
            done.countDown();
            assertThat(found.get(10, TimeUnit.SECONDS)).isEqualTo("kept");
            assertThat(end.get(10, TimeUnit.SECONDS))
                    .get()
                    .isInstanceOf(ClosedChannelException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldCloseASocketWhoseHandlerKeepsAMessage(boolean isListening) throws Exception {
        Keeper keeper = new Keeper();
        try (Stacks stacks = new Stacks(Stacks.NATIVE)) {
            Stacks.Pair pair = stacks.pair();
            keeper.attach(pair.server(), isListening);
            pair.client().send(Stacks.text("kept"));
            keeper.inside.await();

            pair.server().close();

            assertThat(stacks.serverStack.connections()).as("its memory waits").isOne();
            keeper.assertGoesOn();
            Eventually.become(
                    () -> stacks.serverStack.connections() == 0, stacks.serverStack::connections);
        } finally {
            keeper.done.countDown();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldCloseAStackWhoseHandlersKeepMessages(boolean isListening) throws Exception {
        List<Keeper> keepers = new ArrayList<>();
        try (SocketStack receiving = SocketStack.open(Stacks.SERVER_DEVICE, Stacks.NATIVE);
                SocketStack sending = SocketStack.open(Stacks.CLIENT_DEVICE, Stacks.NATIVE);
                RdmaServerSocket server = RdmaServerSocket.bind(receiving, Stacks.anyPort())) {
            for (int i = 0; i < 12; i++) {
                Keeper keeper = new Keeper();
                keepers.add(keeper);
                RdmaSocket sender = RdmaSocket.connect(sending, server.localAddress(), i);
                keeper.attach(server.accept(Stacks.LONG), isListening);
                sender.send(Stacks.text("kept"));
                keeper.inside.await();
            }
            DeviceContext context = receiving.domain().context();

            // a moment for all of them, not for each
            assertThat(timeToClose(receiving)).isLessThan(TimeUnit.SECONDS.toNanos(10));

            assertThat(context.queryDevice()).as("open for the handlers").isNotNull();
            for (Keeper keeper : keepers) {
                keeper.assertGoesOn();
            }
            Eventually.become(() -> isClosed(context), () -> "the device is open");
        } finally {
            keepers.forEach(keeper -> keeper.done.countDown());
        }
    }

    /** What the handler of a receiver may have. */
    enum Kept {
        FRAME,
        LARGE,
        HELD;

        String text() {
            return this == FRAME ? "kept" : "kept".repeat(64 << 10);
        }

        void send(RdmaSocket sender) throws IOException {
            if (this == HELD) {
                sender.sendMore(Stacks.text(text()));
                sender.send(Stacks.text("the last of its group"));
            } else {
                sender.send(Stacks.text(text()));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Kept.class)
    void shouldCloseAStackWhileTheHandlerOfAReceiverKeepsAMessage(Kept kept) throws Exception {
        Keeper keeper = new Keeper();
        try (SocketStack receiving = SocketStack.open(Stacks.SERVER_DEVICE, Stacks.NATIVE);
                SocketStack sending = SocketStack.open(Stacks.CLIENT_DEVICE, Stacks.NATIVE);
                MessageReceiver receiver = MessageReceiver.bind(receiving, Stacks.anyPort())) {
            DeviceContext context = receiving.domain().context();
            RdmaSocket sender = RdmaSocket.connect(sending, receiver.localAddress(), 7);
            keeper.attach(receiver);
            kept.send(sender);
            keeper.inside.await();

            assertThat(timeToClose(receiving)).isLessThan(TimeUnit.SECONDS.toNanos(10));

            assertThat(receiving.connections()).as("its memory waits").isOne();
            assertThat(context.queryDevice()).as("open for the handler").isNotNull();
            keeper.done.countDown();
            assertThat(keeper.found.get(10, TimeUnit.SECONDS)).isEqualTo(kept.text());
            assertThat(keeper.end.get(10, TimeUnit.SECONDS))
                    .get()
                    .extracting(Throwable::getMessage)
                    .asString()
                    .startsWith("no senders are left");
            Eventually.become(() -> isClosed(context), () -> "the device is open");
            assertThat(receiver.heldBytes()).isZero();
        } finally {
            keeper.done.countDown();
        }
    }

    private static long timeToClose(SocketStack stack) {
        long start = System.nanoTime();
        stack.close();
        return System.nanoTime() - start;
    }

    private static boolean isClosed(DeviceContext context) {
        try {
            context.queryDevice();
            return false;
        } catch (IllegalStateException e) {
            return true;
        }
    }

    private static void keep(
            MessageReceiver receiver,
            CountDownLatch inside,
            CountDownLatch done,
            CompletableFuture<Throwable> end) {
        try {
            receiver.poll(
                    (_, _, _, _, _) -> {
                        inside.countDown();
                        await(done);
                    },
                    2,
                    Stacks.LONG);
            end.complete(new AssertionError("poll returned"));
        } catch (Throwable e) {
            end.complete(e);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
