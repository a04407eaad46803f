// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.ConnectionEvent;
import io.verbena.verbs.ConnectionEventType;
import io.verbena.verbs.ConnectionIdentifier;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.EventChannel;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.ReceiveWorkRequest;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.WorkCompletion;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One side of connections made by the connection manager: an event channel, and what queue pairs
 * need. Used by one thread at a time.
 */
final class ConnectionEnd implements AutoCloseable {
    static final int MESSAGE_BYTES = 32;

    private static final int REQUESTS = 8;
    private static final int DEPTH = 1024;

    private final VerbsFixture fixture;
    private final Resources resources = new Resources();
    private final Patience patience;
    private final Arena arena;
    private final DeviceContext context;
    private final ProtectionDomain domain;
    private final CompletionQueue queue;
    private final MemoryRegion region;
    private final WorkCompletion cursor;
    private final List<ConnectionEvent> seen = new ArrayList<>();
    private EventChannel channel;

    ConnectionEnd(VerbsFixture fixture, DeviceContext opened) {
        this.fixture = fixture;
        this.patience = new Patience(fixture.patience());
        arena = resources.add(Arena.ofShared());
        context = resources.add(opened);
        domain = resources.add(context.allocateProtectionDomain());
        queue = context.createCompletionQueue(DEPTH);
        region = domain.allocate(4096, AccessFlag.values());
        cursor = WorkCompletion.allocate(arena, 1);
        channel = context.createEventChannel();
    }

    DeviceContext context() {
        return context;
    }

    ProtectionDomain domain() {
        return domain;
    }

    EventChannel channel() {
        return channel;
    }

    /** Takes events from a new channel from now on; the old one stays open. */
    EventChannel changeChannel() {
        channel = context.createEventChannel();
        return channel;
    }

    QueuePairOptions options() {
        return QueuePairOptions.of(queue).withRequests(REQUESTS, REQUESTS);
    }

    QueuePair createQueuePair(ConnectionIdentifier identifier) {
        return identifier.createQueuePair(domain, options());
    }

    InetSocketAddress anyPort() {
        return new InetSocketAddress(fixture.address(), 0);
    }

    ConnectionIdentifier listen(int backlog) {
        ConnectionIdentifier listener = channel.createIdentifier();
        listener.bind(anyPort());
        listener.listen(backlog);
        return listener;
    }

    /** {@return an identifier with the address and route of a listener resolved} */
    ConnectionIdentifier resolve(ConnectionIdentifier listener) throws InterruptedException {
        return resolve(listener.localAddress().orElseThrow());
    }

    ConnectionIdentifier resolve(InetSocketAddress destination) throws InterruptedException {
        ConnectionIdentifier identifier = channel.createIdentifier();
        identifier.resolveAddress(destination, fixture.patience());
        expect(ConnectionEventType.ADDRESS_RESOLVED);
        identifier.resolveRoute(fixture.patience());
        expect(ConnectionEventType.ROUTE_RESOLVED);
        return identifier;
    }

    /** {@return the next event, which must have the given type} */
    ConnectionEvent expect(ConnectionEventType type) throws InterruptedException {
        ConnectionEvent event = next();
        assertThat(event.type()).as("event after %s: %s", seen, event).isEqualTo(type);
        return event;
    }

    ConnectionEvent next() throws InterruptedException {
        return next(fixture.patience())
                .orElseThrow(() -> new AssertionError("no event after " + seen));
    }

    /** Kernel devices report the end of a connection's time-wait period; nothing depends on it. */
    Optional<ConnectionEvent> next(Duration timeout) throws InterruptedException {
        Optional<ConnectionEvent> event = channel.awaitEvent(timeout);
        while (event.isPresent() && event.get().type() == ConnectionEventType.TIMEWAIT_EXIT) {
            event = channel.awaitEvent(timeout);
        }
        event.ifPresent(seen::add);
        return event;
    }

    /** {@return the events taken so far} */
    List<ConnectionEvent> seen() {
        return seen;
    }

    void assertNoEvent() throws InterruptedException {
        assertThat(next(Silence.SHORT)).as("event after %s", seen).isEmpty();
    }

    void postReceive(QueuePair pair, long id) {
        ReceiveWorkRequest request =
                ReceiveWorkRequest.allocate(arena, 1).id(id).element(region, 0, MESSAGE_BYTES);
        assertThat(pair.postReceive(request)).isEqualTo(1);
    }

    void postSend(QueuePair pair, long id) {
        SendWorkRequest request =
                SendWorkRequest.allocate(arena, 1)
                        .id(id)
                        .element(region, MESSAGE_BYTES, MESSAGE_BYTES);
        assertThat(pair.postSend(request)).isEqualTo(1);
    }

    Completion awaitCompletion() {
        patience.await("completion", () -> queue.poll(cursor) == 1, () -> "events so far: " + seen);
        return Completion.of(cursor);
    }

    Optional<Completion> poll() {
        return queue.poll(cursor) == 1 ? Optional.of(Completion.of(cursor)) : Optional.empty();
    }

    @Override
    public void close() {
        resources.close();
    }
}
