// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.ConnectionEvent;
import io.verbena.verbs.ConnectionEventType;
import io.verbena.verbs.ConnectionIdentifier;
import io.verbena.verbs.ConnectionParameters;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.EventChannel;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePairOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/** A context with an event channel and what queue pairs need; closes all of it. */
final class CmParty implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(20);

    private final DeviceContext context;
    private final ProtectionDomain domain;
    private final CompletionQueue queue;
    private final EventChannel channel;

    CmParty(Supplier<DeviceContext> open) {
        context = open.get();
        domain = context.allocateProtectionDomain();
        queue = context.createCompletionQueue(256);
        channel = context.createEventChannel();
    }

    DeviceContext context() {
        return context;
    }

    EventChannel channel() {
        return channel;
    }

    ConnectionIdentifier listen(InetAddress host, int backlog) {
        ConnectionIdentifier listener = channel.createIdentifier();
        listener.bind(new InetSocketAddress(host, 0));
        listener.listen(backlog);
        return listener;
    }

    /** {@return an identifier that is ready to connect, with its queue pair} */
    ConnectionIdentifier prepare(InetSocketAddress destination) throws InterruptedException {
        ConnectionIdentifier identifier = channel.createIdentifier();
        identifier.resolveAddress(destination, PATIENCE);
        expect(ConnectionEventType.ADDRESS_RESOLVED);
        identifier.resolveRoute(PATIENCE);
        expect(ConnectionEventType.ROUTE_RESOLVED);
        createQueuePair(identifier);
        return identifier;
    }

    ConnectionIdentifier connect(ConnectionIdentifier listener) throws InterruptedException {
        ConnectionIdentifier identifier = prepare(listener.localAddress().orElseThrow());
        identifier.connect(ConnectionParameters.DEFAULT);
        return identifier;
    }

    /** {@return the identifier of a request that was accepted} */
    ConnectionIdentifier accept() throws InterruptedException {
        ConnectionIdentifier identifier = expect(ConnectionEventType.CONNECT_REQUEST).identifier();
        createQueuePair(identifier);
        identifier.accept(ConnectionParameters.DEFAULT);
        return identifier;
    }

    void createQueuePair(ConnectionIdentifier identifier) {
        identifier.createQueuePair(domain, QueuePairOptions.of(queue));
    }

    ConnectionEvent expect(ConnectionEventType type) throws InterruptedException {
        ConnectionEvent event = next();
        assertThat(event.type()).as(event.toString()).isEqualTo(type);
        return event;
    }

    /** {@return the next event, except those for the end of a connection's time-wait period} */
    ConnectionEvent next() throws InterruptedException {
        Optional<ConnectionEvent> event = channel.awaitEvent(PATIENCE);
        while (event.isPresent() && event.get().type() == ConnectionEventType.TIMEWAIT_EXIT) {
            event = channel.awaitEvent(PATIENCE);
        }
        return event.orElseThrow(() -> new AssertionError("no event"));
    }

    @Override
    public void close() {
        context.close();
    }
}
