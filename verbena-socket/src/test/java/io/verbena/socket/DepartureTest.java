// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.testing.Eventually;
import io.verbena.verbs.ConnectionIdentifier;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections that end while no thread can be started for that. */
@Timeout(30)
class DepartureTest {
    /**
     * From now on, departures get no thread as long as the condition holds where one is started.
     */
    private static void refuse(SocketStack stack, BooleanSupplier isRefused) {
        ThreadFactory usual = Thread.ofPlatform().daemon().name("departure-test").factory();
        stack.departures()
                .threads(
                        task -> {
                            if (isRefused.getAsBoolean()) {
                                throw new OutOfMemoryError("thrown by the test");
                            }
                            return usual.newThread(task);
                        });
    }

    @Test
    void shouldCloseASocketAlthoughNoThreadCanBeStarted() throws Exception {
        try (Stacks stacks = new Stacks(Stacks.NATIVE)) {
            Stacks.Pair pair = stacks.pair();
            refuse(stacks.serverStack, () -> true);

            pair.server().close();

            assertThat(pair.server().endpoint().isEnded()).isTrue();
            assertThat(stacks.serverStack.connections()).isZero();
            Eventually.become(() -> pair.client().endpoint().isEnded(), () -> pair);
        }
    }

    /**
     * Nobody waits for the end of this one. The event of the connection manager and each receive
     * that comes back start it, in vain; so what starts it is a second look of the farewells.
     */
    @Test
    void shouldTryAgainToEndAConnectionWhosePeerHasGone() throws Exception {
        try (Stacks stacks = new Stacks(Stacks.NATIVE)) {
            Stacks.Pair pair = stacks.pair();
            AtomicInteger looks = new AtomicInteger();
            refuse(stacks.serverStack, () -> !isFarewells() || looks.incrementAndGet() == 1);

            pair.client().abort();

            Eventually.become(() -> pair.server().endpoint().isEnded(), () -> pair);
            assertThat(looks).hasValueGreaterThan(1);
        }
    }

    private static boolean isFarewells() {
        return Thread.currentThread().getName().equals("verbena-socket-farewells");
    }

    /** Longer than handlers are waited for: nobody has a message, so nothing may stay. */
    @Test
    void shouldWaitForThoseWhoReceiveAlthoughTheEndsTakeLong() throws Exception {
        List<Thread> receivers = new ArrayList<>();
        try (Stacks stacks = new Stacks(Stacks.NATIVE)) {
            ThreadFactory slow =
                    task ->
                            Thread.ofPlatform()
                                    .daemon()
                                    .unstarted(
                                            () -> {
                                                LockSupport.parkNanos(3 * RdmaSocket.KEPT_NS / 2);
                                                task.run();
                                            });
            for (int i = 0; i < 12; i++) {
                RdmaSocket socket = stacks.pair().server();
                receivers.add(
                        Thread.ofPlatform().name("receiver").start(() -> receiveNothing(socket)));
            }
            Eventually.become(
                    () -> receivers.stream().allMatch(DepartureTest::isParked), () -> receivers);
            stacks.serverStack.departures().threads(slow);

            stacks.serverStack.abortAll();

            assertThat(stacks.serverStack.connections()).isZero();
        }
        for (Thread receiver : receivers) {
            receiver.join();
        }
    }

    private static boolean isParked(Thread thread) {
        return thread.getState() == Thread.State.WAITING
                || thread.getState() == Thread.State.TIMED_WAITING;
    }

    private static void receiveNothing(RdmaSocket socket) {
        assertThatThrownBy(() -> socket.receive(ByteBuffer.allocate(8)))
                .isInstanceOf(ClosedChannelException.class);
    }

    /** As a pool does that queues a task, then finds no thread for it. */
    @Test
    void shouldEndOnceAlthoughATaskThatWasRefusedRunsLater() throws Exception {
        SocketEndpoint endpoint;
        try (Stacks stacks = new Stacks(Stacks.NATIVE)) {
            // in a loop that has ended, a second end touches nothing
            endpoint = stacks.pair().server().endpoint();
        }
        List<Runnable> queued = new ArrayList<>();
        List<String> calls = new ArrayList<>();
        Departure departure =
                new Departure(
                        identifier(calls),
                        task -> {
                            queued.add(task);
                            throw new OutOfMemoryError("thrown by the test");
                        });
        departure.onFlushed();

        departure.start(endpoint);
        departure.awaitEnd(endpoint);
        queued.forEach(Runnable::run);

        assertThat(queued).hasSize(1);
        assertThat(calls).containsOnlyOnce("disconnect", "close");
    }

    /** As if there were no thread for a listener just then. */
    @Test
    void shouldTellOfAnEndLaterIfThatHasFailed() throws Exception {
        try (Stacks stacks = new Stacks(Stacks.NATIVE)) {
            Stacks.Pair pair = stacks.pair();
            SocketEndpoint endpoint = pair.server().endpoint();
            AtomicInteger times = new AtomicInteger();
            endpoint.readiness(
                    () -> {
                        if (endpoint.isEnded() && times.incrementAndGet() == 1) {
                            throw new OutOfMemoryError("thrown by the test");
                        }
                    });

            pair.client().abort();

            Eventually.become(() -> times.get() > 1, times::get);
        }
    }

    private static ConnectionIdentifier identifier(List<String> calls) {
        return (ConnectionIdentifier)
                Proxy.newProxyInstance(
                        ConnectionIdentifier.class.getClassLoader(),
                        new Class<?>[] {ConnectionIdentifier.class},
                        (_, method, _) -> {
                            calls.add(method.getName());
                            return method.getName().equals("toString") ? "an identifier" : null;
                        });
    }
}
