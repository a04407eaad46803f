// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.Thrown;
import io.verbena.verbs.ConnectionEvent;
import io.verbena.verbs.ConnectionIdentifier;
import io.verbena.verbs.ConnectionListener;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.EventChannel;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is thrown while a server waits for connections, and says nothing about its listener. */
@Timeout(30)
class ListenerFaultTest {
    /** Throws instead of waiting, some times. Not a proxy: that would declare what it throws. */
    private record FaultyChannel(EventChannel real, Thrown thrown, AtomicInteger times)
            implements EventChannel {
        @Override
        public DeviceContext context() {
            return real.context();
        }

        @Override
        public ConnectionIdentifier createIdentifier() {
            return real.createIdentifier();
        }

        @Override
        public ConnectionEvent awaitEvent() throws InterruptedException {
            if (times.getAndDecrement() > 0) {
                thrown.raise();
            }
            return real.awaitEvent();
        }

        @Override
        public Optional<ConnectionEvent> awaitEvent(Duration timeout) throws InterruptedException {
            return real.awaitEvent(timeout);
        }

        @Override
        public void close() {
            real.close();
        }
    }

    private static DeviceContext faulty(DeviceContext real, Thrown thrown, AtomicInteger times) {
        return (DeviceContext)
                Proxy.newProxyInstance(
                        DeviceContext.class.getClassLoader(),
                        new Class<?>[] {DeviceContext.class},
                        (_, method, _) -> {
                            assertThat(method.getName()).isEqualTo("createEventChannel");
                            return new FaultyChannel(real.createEventChannel(), thrown, times);
                        });
    }

    /** With room for one connection only: none may count that never was. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "UNCHECKED")
    void shouldGoOnAccepting(Thrown thrown) throws Exception {
        AtomicInteger times = new AtomicInteger(3);
        try (SocketStack stack = SocketStack.open(Stacks.SERVER_DEVICE, Stacks.NATIVE);
                RdmaServerSocket server =
                        RdmaServerSocket.start(
                                stack,
                                ConnectionListener.listen(
                                        faulty(stack.domain().context(), thrown, times),
                                        Stacks.anyPort(),
                                        1),
                                1);
                RdmaSocket client = RdmaSocket.connect(stack, server.localAddress(), 7);
                RdmaSocket accepted = server.accept(Stacks.LONG)) {
            client.send(Stacks.text("question"));

            assertThat(Stacks.next(accepted)).isEqualTo("question");
            assertThat(times.get()).isNotPositive();
        }
    }
}
