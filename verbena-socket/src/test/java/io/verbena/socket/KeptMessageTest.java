// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.Eventually;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A handler that does not return: its receiver closes all the same. */
@Timeout(20)
class KeptMessageTest {
    @Test
    void shouldCloseWhileAHandlerKeepsAMessage() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        CompletableFuture<Throwable> end = new CompletableFuture<>();
        try (SocketStack receiving = SocketStack.open(Stacks.SERVER_DEVICE, Stacks.NATIVE);
                SocketStack sending = SocketStack.open(Stacks.CLIENT_DEVICE, Stacks.NATIVE)) {
            MessageReceiver receiver = MessageReceiver.bind(receiving, Stacks.anyPort());
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
