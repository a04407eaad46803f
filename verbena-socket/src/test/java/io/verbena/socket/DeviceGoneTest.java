// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.testing.Eventually;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A device that goes away under a listening socket. */
@Timeout(20)
class DeviceGoneTest {
    @Test
    void shouldTellThoseWhoWaitThatNoMoreConnectionsCome() throws Exception {
        try (SocketStack stack = SocketStack.open(Stacks.SERVER_DEVICE, Stacks.NATIVE);
                RdmaServerSocket server = RdmaServerSocket.bind(stack, Stacks.anyPort())) {
            CountDownLatch started = new CountDownLatch(1);
            CompletableFuture<Throwable> end = new CompletableFuture<>();
            Thread.ofPlatform().daemon().name("accepts").start(() -> accept(server, started, end));
            started.await();

            stack.domain().context().close();

            assertThat(end.get(10, TimeUnit.SECONDS))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("no more connections come");
            assertThatThrownBy(server::accept)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("no more connections come");
        }
    }

    @Test
    void shouldTellAReceiverThatNoSendersAreLeft() throws Exception {
        try (SocketStack stack = SocketStack.open(Stacks.SERVER_DEVICE, Stacks.NATIVE);
                MessageReceiver receiver = MessageReceiver.bind(stack, Stacks.anyPort())) {
            CountDownLatch started = new CountDownLatch(1);
            CompletableFuture<Throwable> end = new CompletableFuture<>();
            Thread.ofPlatform()
                    .daemon()
                    .name("receives")
                    .start(() -> receive(receiver, started, end));
            started.await();

            stack.domain().context().close();

            assertThat(end.get(10, TimeUnit.SECONDS))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("no senders are left");
            assertThatThrownBy(receiver::poll)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("no more connections come");
        }
    }

    private static void receive(
            MessageReceiver receiver, CountDownLatch started, CompletableFuture<Throwable> end) {
        try {
            started.countDown();
            receiver.receive();
            end.complete(new AssertionError("a message"));
        } catch (Throwable e) {
            end.complete(e);
        }
    }

    @Test
    void shouldRefuseNewConnectionsWhoseEndNobodyWouldReport() throws Exception {
        try (Stacks stacks = new Stacks(Stacks.NATIVE)) {
            stacks.clientStack.domain().context().close();

            Eventually.become(
                    () -> refusal(stacks).contains("ends of connections are not reported"),
                    () -> refusal(stacks));
        }
    }

    private static String refusal(Stacks stacks) {
        try (RdmaSocket socket = stacks.connect(7)) {
            return "connected: " + socket;
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private static void accept(
            RdmaServerSocket server, CountDownLatch started, CompletableFuture<Throwable> end) {
        try {
            started.countDown();
            server.accept();
            end.complete(new AssertionError("a connection"));
        } catch (Throwable e) {
            end.complete(e);
        }
    }
}
