// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft.cm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.ConnectionEvent;
import io.verbena.verbs.ConnectionEventType;
import io.verbena.verbs.ConnectionIdentifier;
import io.verbena.verbs.ConnectionParameters;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Errno;
import io.verbena.verbs.EventChannel;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.VerbsException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/**
 * The steps that connection tests are made of: an active and a passive side, with a channel each.
 */
@Timeout(60)
abstract class ConnectionSteps {
    static final Duration PATIENCE = Duration.ofSeconds(10);
    static final Duration MOMENT = Duration.ofMillis(20);

    DeviceContext context;
    ProtectionDomain domain;
    CompletionQueue completions;
    EventChannel active;
    EventChannel passive;

    abstract DeviceContext openContext();

    @BeforeEach
    final void openDevice() {
        context = openContext();
        domain = context.allocateProtectionDomain();
        completions = context.createCompletionQueue(1024);
        active = context.createEventChannel();
        passive = context.createEventChannel();
    }

    @AfterEach
    final void closeDevice() {
        if (context != null) {
            active.close();
            passive.close();
            context.close();
        }
    }

    /** {@return the two ends of an established connection} */
    final Pair connect() throws InterruptedException {
        ConnectionIdentifier listener = listener(10);
        ConnectionIdentifier client = caller(listener);
        client.connect(ConnectionParameters.DEFAULT);
        ConnectionIdentifier server =
                expect(passive, ConnectionEventType.CONNECT_REQUEST).identifier();
        createPair(server);
        server.accept(ConnectionParameters.DEFAULT);
        expect(active, ConnectionEventType.ESTABLISHED);
        expect(passive, ConnectionEventType.ESTABLISHED);
        listener.close();
        return new Pair(client, server);
    }

    /** Two connected identifiers. */
    record Pair(ConnectionIdentifier client, ConnectionIdentifier server) {}

    final ConnectionIdentifier listener(int backlog) {
        ConnectionIdentifier listener = passive.createIdentifier();
        listener.bind(loopback(0));
        listener.listen(backlog);
        return listener;
    }

    /** {@return an identifier that is ready to connect to a listener} */
    final ConnectionIdentifier caller(ConnectionIdentifier listener) throws InterruptedException {
        return caller(active, listener.localAddress().orElseThrow());
    }

    final ConnectionIdentifier caller(EventChannel channel, InetSocketAddress address)
            throws InterruptedException {
        ConnectionIdentifier identifier = channel.createIdentifier();
        identifier.resolveAddress(address, PATIENCE);
        expect(channel, ConnectionEventType.ADDRESS_RESOLVED);
        identifier.resolveRoute(PATIENCE);
        expect(channel, ConnectionEventType.ROUTE_RESOLVED);
        createPair(identifier);
        return identifier;
    }

    final QueuePair createPair(ConnectionIdentifier identifier) {
        return identifier.createQueuePair(domain, options());
    }

    final QueuePairOptions options() {
        return QueuePairOptions.of(completions);
    }

    static InetSocketAddress loopback(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    static ConnectionEvent expect(EventChannel channel, ConnectionEventType type)
            throws InterruptedException {
        ConnectionEvent event = channel.awaitEvent(PATIENCE).orElseThrow();
        assertThat(event.type()).as("%s", event).isEqualTo(type);
        return event;
    }

    static void expectNothing(EventChannel channel) throws InterruptedException {
        assertThat(channel.awaitEvent(MOMENT)).isEmpty();
    }

    static void assertErrno(int errno, ThrowingCallable call, String... words) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        VerbsException.class,
                        e -> assertThat(Errno.name(e.errno())).isEqualTo(Errno.name(errno)))
                .hasMessageContainingAll(words);
    }

    /** Something a test does on another thread. */
    interface Task {
        void run() throws InterruptedException;
    }

    static CompletableFuture<Void> async(Task task) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread.ofVirtual()
                .name("test-task")
                .start(
                        () -> {
                            try {
                                task.run();
                                done.complete(null);
                            } catch (InterruptedException | RuntimeException | Error e) {
                                done.completeExceptionally(e);
                            }
                        });
        return done;
    }
}
