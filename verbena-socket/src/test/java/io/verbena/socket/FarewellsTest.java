// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.Eventually;
import io.verbena.verbs.ConnectionEvent;
import io.verbena.verbs.ConnectionEventType;
import io.verbena.verbs.ConnectionIdentifier;
import io.verbena.verbs.ConnectionParameters;
import io.verbena.verbs.Errno;
import io.verbena.verbs.EventChannel;
import io.verbena.verbs.VerbsException;
import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the thread that hears of ends does when its channel fails. */
@Timeout(30)
class FarewellsTest {
    /** An event, or what is thrown in its place. */
    private final BlockingQueue<Object> waiting = new LinkedBlockingQueue<>();

    private final AtomicInteger broken = new AtomicInteger();
    private final AtomicInteger chores = new AtomicInteger();

    private Farewells open() {
        EventChannel channel =
                (EventChannel)
                        Proxy.newProxyInstance(
                                EventChannel.class.getClassLoader(),
                                new Class<?>[] {EventChannel.class},
                                (_, method, _) ->
                                        switch (method.getName()) {
                                            case "awaitEvent" -> next();
                                            case "toString" -> "a channel";
                                            default -> null;
                                        });
        return new Farewells(channel, broken::incrementAndGet, chores::incrementAndGet);
    }

    private Optional<ConnectionEvent> next() throws Throwable {
        Object next = waiting.poll(1, TimeUnit.SECONDS);
        if (next instanceof Throwable fault) {
            throw fault;
        }
        return Optional.ofNullable((ConnectionEvent) next);
    }

    /** {@return the event that the peer of a socket has gone} */
    private static ConnectionEvent gone(RdmaSocket socket) {
        ConnectionIdentifier identifier =
                (ConnectionIdentifier)
                        Proxy.newProxyInstance(
                                ConnectionIdentifier.class.getClassLoader(),
                                new Class<?>[] {ConnectionIdentifier.class},
                                (_, method, _) ->
                                        method.getName().equals("attachment")
                                                ? socket.endpoint()
                                                : null);
        return new ConnectionEvent(
                ConnectionEventType.DISCONNECTED,
                identifier,
                Optional.empty(),
                0,
                ConnectionParameters.ZERO);
    }

    @Test
    void shouldNoticeEndsAfterAnError() throws Exception {
        try (Stacks stacks = new Stacks(Stacks.NATIVE);
                Farewells farewells = open()) {
            waiting.add(new OutOfMemoryError("thrown by the test"));
            Stacks.Pair pair = stacks.pair();
            waiting.add(gone(pair.server()));

            Eventually.become(() -> pair.server().endpoint().isEnded(), () -> pair);

            assertThat(farewells.failure()).isEmpty();
            assertThat(broken).hasValue(0);
        }
    }

    @Test
    void shouldDoTheChoreByTimeHoweverManyEventsThereAre() throws Exception {
        int events = 1000;
        try (Stacks stacks = new Stacks(Stacks.NATIVE);
                Farewells _ = open()) {
            Stacks.Pair pair = stacks.pair();
            for (int i = 0; i < events; i++) {
                waiting.add(gone(pair.server()));
            }

            Eventually.become(waiting::isEmpty, waiting::size);
            Eventually.become(() -> chores.get() > 0, chores::get);

            assertThat(chores).as("about one a second").hasValueLessThan(events / 10);
        }
    }

    @Test
    void shouldEndEverythingAfterAFailureForGood() {
        VerbsException cause =
                new VerbsException("rdma_get_cm_event", Errno.EIO, "thrown by the test");
        try (Farewells farewells = open()) {
            waiting.add(cause);

            Eventually.become(() -> broken.get() > 0, broken::get);

            assertThat(farewells.failure()).containsSame(cause);
        }
    }
}
