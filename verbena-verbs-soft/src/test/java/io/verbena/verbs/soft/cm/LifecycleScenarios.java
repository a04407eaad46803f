// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft.cm;

import static io.verbena.verbs.ConnectionEventType.ADDRESS_RESOLVED;
import static io.verbena.verbs.ConnectionEventType.CONNECT_REQUEST;
import static io.verbena.verbs.ConnectionEventType.DISCONNECTED;
import static io.verbena.verbs.ConnectionEventType.ESTABLISHED;
import static io.verbena.verbs.ConnectionEventType.REJECTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.verbs.ConnectionEvent;
import io.verbena.verbs.ConnectionIdentifier;
import io.verbena.verbs.ConnectionListener;
import io.verbena.verbs.ConnectionParameters;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.Connector;
import io.verbena.verbs.Errno;
import io.verbena.verbs.EventChannel;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** How connections and channels end, and what is refused, on any device. */
abstract class LifecycleScenarios extends HandshakeScenarios {
    @Test
    void shouldDisconnectBothSidesOnce() throws InterruptedException {
        Pair pair = connect();

        pair.client().disconnect();
        pair.client().disconnect();

        assertThat(expect(active, DISCONNECTED).identifier()).isSameAs(pair.client());
        assertThat(expect(passive, DISCONNECTED).identifier()).isSameAs(pair.server());
        assertThat(pair.client().queuePair().map(QueuePair::state)).contains(QueuePairState.ERROR);
        assertThat(pair.server().queuePair().map(QueuePair::state)).contains(QueuePairState.ERROR);
        pair.server().disconnect();
        pair.client().disconnect();
        expectNothing(active);
        expectNothing(passive);
    }

    @Test
    void shouldDisconnectBothSidesOnceWhenBothDo() throws Exception {
        for (int i = 0; i < 30; i++) {
            Pair pair = connect();
            CompletableFuture<Void> other = async(pair.server()::disconnect);

            pair.client().disconnect();
            other.get(10, TimeUnit.SECONDS);

            expect(active, DISCONNECTED);
            expect(passive, DISCONNECTED);
            pair.client().close();
            pair.server().close();
        }
        expectNothing(active);
        expectNothing(passive);
    }

    @Test
    void shouldDisconnectWhenClosed() throws InterruptedException {
        Pair pair = connect();

        pair.server().close();

        expect(active, DISCONNECTED);
        expectNothing(passive);
        pair.client().close();
        pair.client().close();
        expectNothing(active);
    }

    @Test
    void shouldDropTheEventsOfTheClosed() throws InterruptedException {
        Pair pair = connect();
        pair.client().disconnect();
        expect(active, DISCONNECTED);

        pair.server().close();

        expectNothing(passive);
    }

    @Test
    void shouldCloseItsIdentifiersWithTheChannel() throws InterruptedException {
        Pair pair = connect();

        passive.close();
        passive.close();

        expect(active, DISCONNECTED);
        assertThatThrownBy(pair.server()::disconnect).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(passive::createIdentifier)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(passive + " is closed");
    }

    @Test
    void shouldWakeWhoWaitsWhenTheChannelCloses() {
        CompletableFuture<Void> waiting = async(() -> passive.awaitEvent());

        passive.close();

        assertThatThrownBy(() -> waiting.get(10, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasRootCauseMessage(passive + " is closed");
    }

    @Test
    void shouldMigrateWithWaitingEvents() throws InterruptedException {
        Pair pair = connect();
        EventChannel other = context.createEventChannel();
        pair.client().disconnect();
        expect(active, DISCONNECTED);

        pair.server().migrate(other);
        passive.close();

        expect(other, DISCONNECTED);
        pair.server().disconnect();
        other.close();
        assertThatThrownBy(() -> pair.client().migrate(other))
                .isInstanceOf(IllegalStateException.class);
        expectNothing(active);
    }

    @Test
    void shouldNeitherLoseNorDoubleEventsWhenMigrating() throws Exception {
        EventChannel other = context.createEventChannel();
        List<ConnectionEvent> seen = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            ConnectionIdentifier identifier = active.createIdentifier();
            CompletableFuture<Void> migration =
                    async(
                            () -> {
                                for (int j = 0; j < 20; j++) {
                                    identifier.migrate(j % 2 == 0 ? other : active);
                                }
                            });
            identifier.resolveAddress(loopback(5), PATIENCE);
            migration.get(10, TimeUnit.SECONDS);
            ConnectionEvent event = expect(active, ADDRESS_RESOLVED);
            assertThat(event.identifier()).isSameAs(identifier);
            seen.add(event);
        }
        assertThat(seen).hasSize(200);
        expectNothing(active);
        expectNothing(other);
    }

    @Test
    void shouldMigrateAListenerWithItsRequests() throws InterruptedException {
        ConnectionIdentifier listener = listener(1);
        ConnectionIdentifier client = caller(listener);
        ConnectionIdentifier probe = caller(listener);
        client.connect(ConnectionParameters.ZERO);
        probe.connect(ConnectionParameters.ZERO);
        expect(active, REJECTED);
        EventChannel other = context.createEventChannel();

        listener.migrate(other);
        passive.close();
        ConnectionIdentifier server = expect(other, CONNECT_REQUEST).identifier();
        createPair(server);
        server.accept(ConnectionParameters.ZERO);

        expect(active, ESTABLISHED);
        assertThat(expect(other, ESTABLISHED).identifier()).isSameAs(server);
    }

    @Test
    void shouldSayWhichStateIsWrong() throws InterruptedException {
        ConnectionIdentifier fresh = active.createIdentifier();

        assertErrno(Errno.EINVAL, () -> fresh.listen(1), "state: IDLE", "BOUND");
        assertErrno(Errno.EINVAL, () -> fresh.resolveRoute(PATIENCE), "rdma_resolve_route", "IDLE");
        assertErrno(Errno.EINVAL, () -> fresh.connect(ConnectionParameters.ZERO), "ROUTE_RESOLVED");
        assertErrno(Errno.EINVAL, () -> fresh.accept(ConnectionParameters.ZERO), "REQUESTED");
        assertErrno(Errno.EINVAL, () -> fresh.reject(new byte[0]), "rdma_reject", "REQUESTED");
        assertErrno(Errno.EINVAL, fresh::disconnect, "rdma_disconnect", "IDLE");
        assertErrno(Errno.EINVAL, () -> createPair(fresh), "rdma_create_qp", "IDLE");
        fresh.bind(loopback(0));
        assertErrno(Errno.EINVAL, () -> fresh.bind(loopback(0)), "state: BOUND");
        assertThatThrownBy(() -> fresh.listen(0)).hasMessage("backlog: 0 (expected: >= 1)");
        fresh.listen(1);
        assertErrno(Errno.EINVAL, () -> createPair(fresh), "state: LISTENING");
        assertErrno(Errno.EINVAL, () -> fresh.listen(1), "state: LISTENING");
    }

    @Test
    void shouldNeedAQueuePair() throws InterruptedException {
        ConnectionIdentifier identifier = active.createIdentifier();
        identifier.resolveAddress(loopback(5), PATIENCE);
        expect(active, ADDRESS_RESOLVED);
        identifier.resolveRoute(PATIENCE);

        assertErrno(
                Errno.EINVAL,
                () -> identifier.connect(ConnectionParameters.ZERO),
                "no queue pair",
                "createQueuePair");
        assertThat(identifier.queuePair()).isEqualTo(Optional.empty());
        QueuePair pair = createPair(identifier);
        assertThat(pair.state()).isEqualTo(QueuePairState.INIT);
        assertThat(identifier.queuePair()).contains(pair);
        assertErrno(Errno.EINVAL, () -> createPair(identifier), "has a queue pair");
    }

    @Test
    void shouldRefuseEverythingAfterClose() {
        ConnectionIdentifier identifier = active.createIdentifier();
        identifier.close();

        assertClosed(() -> identifier.bind(loopback(0)));
        assertClosed(() -> identifier.listen(1));
        assertClosed(() -> identifier.resolveAddress(loopback(5), PATIENCE));
        assertClosed(() -> identifier.resolveRoute(PATIENCE));
        assertClosed(() -> createPair(identifier));
        assertClosed(() -> identifier.connect(ConnectionParameters.ZERO));
        assertClosed(() -> identifier.accept(ConnectionParameters.ZERO));
        assertClosed(() -> identifier.reject(new byte[0]));
        assertClosed(identifier::disconnect);
        assertClosed(() -> identifier.migrate(passive));
    }

    @Test
    void shouldWorkForAnInterruptedThread() throws InterruptedException {
        ConnectionIdentifier listener = listener(1);
        ConnectionIdentifier client = caller(listener);
        client.connect(ConnectionParameters.ZERO);
        ConnectionIdentifier server = expect(passive, CONNECT_REQUEST).identifier();
        createPair(server);

        Thread.currentThread().interrupt();
        server.accept(ConnectionParameters.ZERO);
        listener.close();

        assertThat(Thread.interrupted()).isTrue();
        expect(active, ESTABLISHED);
        expect(passive, ESTABLISHED);
        Thread.currentThread().interrupt();
        server.disconnect();
        assertThat(Thread.interrupted()).isTrue();
        expect(active, DISCONNECTED);
        expect(passive, DISCONNECTED);
    }

    @Test
    void shouldCarryTheBlockingCalls() throws Exception {
        try (ConnectionListener listener = ConnectionListener.listen(context, loopback(0), 5);
                Connector connector =
                        Connector.resolve(context, listener.localAddress(), PATIENCE)) {
            connector.createQueuePair(domain, options());
            CompletableFuture<Void> server =
                    async(
                            () -> {
                                try (ConnectionRequest request = listener.awaitRequest()) {
                                    request.createQueuePair(domain, options());
                                    request.accept(ConnectionParameters.DEFAULT, PATIENCE);
                                    assertThat(request.awaitEvent(PATIENCE).orElseThrow().type())
                                            .isEqualTo(DISCONNECTED);
                                }
                            });

            connector.connect(ConnectionParameters.DEFAULT);
            connector.identifier().disconnect();

            server.get(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void shouldConnectManyAtOnce() throws InterruptedException {
        int many = 200;
        ConnectionIdentifier listener = listener(many);
        List<ConnectionIdentifier> clients = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            clients.add(caller(listener));
        }

        clients.forEach(client -> client.connect(ConnectionParameters.DEFAULT));
        int established = 0;
        while (established < many) {
            ConnectionEvent event = passive.awaitEvent(PATIENCE).orElseThrow();
            if (event.type() == CONNECT_REQUEST) {
                createPair(event.identifier());
                event.identifier().accept(ConnectionParameters.DEFAULT);
            } else {
                assertThat(event.type()).isEqualTo(ESTABLISHED);
                established++;
            }
        }

        for (int i = 0; i < many; i++) {
            expect(active, ESTABLISHED);
        }
        passive.close();
        for (int i = 0; i < many; i++) {
            expect(active, DISCONNECTED);
        }
    }

    private static void assertClosed(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("connection identifier is closed");
    }
}
