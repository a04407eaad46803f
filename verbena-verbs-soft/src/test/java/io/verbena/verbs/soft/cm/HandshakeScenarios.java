// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft.cm;

import static io.verbena.verbs.ConnectionEventType.ADDRESS_ERROR;
import static io.verbena.verbs.ConnectionEventType.ADDRESS_RESOLVED;
import static io.verbena.verbs.ConnectionEventType.CONNECT_REQUEST;
import static io.verbena.verbs.ConnectionEventType.ESTABLISHED;
import static io.verbena.verbs.ConnectionEventType.REJECTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.verbs.ConnectionEvent;
import io.verbena.verbs.ConnectionIdentifier;
import io.verbena.verbs.ConnectionParameters;
import io.verbena.verbs.Errno;
import io.verbena.verbs.QueuePairState;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How connections are made or fail, on any device. */
abstract class HandshakeScenarios extends ConnectionSteps {
    @Test
    void shouldConnectWithPrivateData() throws InterruptedException {
        ConnectionIdentifier listener = listener(1);
        ConnectionIdentifier client = caller(listener);

        client.connect(parameters(3, 2, 5, 6, new byte[] {1, 2}));
        ConnectionEvent request = expect(passive, CONNECT_REQUEST);
        createPair(request.identifier());
        request.identifier().accept(parameters(1, 4, 0, 7, new byte[] {3}));
        ConnectionEvent answer = expect(active, ESTABLISHED);
        ConnectionEvent established = expect(passive, ESTABLISHED);

        assertThat(request.listener()).contains(listener);
        assertThat(request.parameters()).isEqualTo(parameters(2, 3, 5, 6, new byte[] {1, 2}));
        assertThat(answer.identifier()).isSameAs(client);
        assertThat(answer.parameters()).isEqualTo(parameters(4, 1, 0, 7, new byte[] {3}));
        assertThat(established.identifier()).isSameAs(request.identifier());
        assertThat(established.parameters()).isEqualTo(ConnectionParameters.ZERO);
        assertThat(request.identifier().remoteAddress()).isEqualTo(client.localAddress());
        assertThat(request.identifier().localAddress()).isEqualTo(client.remoteAddress());
        assertThat(request.identifier().localAddress()).isEqualTo(listener.localAddress());
    }

    @Test
    void shouldCarryTheMostPrivateData() throws InterruptedException {
        byte[] most = new byte[ConnectionParameters.MAX_ACCEPT_DATA];
        ConnectionIdentifier client = caller(listener(1));

        client.connect(ConnectionParameters.ZERO.withPrivateData(new byte[56]));
        ConnectionEvent request = expect(passive, CONNECT_REQUEST);
        createPair(request.identifier());
        request.identifier().accept(ConnectionParameters.ZERO.withPrivateData(most));

        assertThat(request.parameters().privateData()).hasSize(56);
        assertThat(expect(active, ESTABLISHED).parameters().privateData()).isEqualTo(most);
    }

    @Test
    void shouldRefuseTooMuchPrivateData() throws InterruptedException {
        ConnectionIdentifier client = caller(listener(1));
        assertThatThrownBy(
                        () ->
                                client.connect(
                                        ConnectionParameters.ZERO.withPrivateData(new byte[57])))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("privateData.length: 57 (expected: 0..56)");
        client.connect(ConnectionParameters.ZERO);
        ConnectionIdentifier server = expect(passive, CONNECT_REQUEST).identifier();
        createPair(server);
        assertThatThrownBy(
                        () ->
                                server.accept(
                                        ConnectionParameters.ZERO.withPrivateData(new byte[197])))
                .hasMessage("privateData.length: 197 (expected: 0..196)");
        assertThatThrownBy(() -> server.reject(new byte[149]))
                .hasMessage("privateData.length: 149 (expected: 0..148)");

        server.accept(ConnectionParameters.ZERO);

        expect(active, ESTABLISHED);
    }

    @Test
    void shouldTellTheReasonOfRejection() throws InterruptedException {
        ConnectionIdentifier client = caller(listener(1));
        client.connect(ConnectionParameters.ZERO);
        ConnectionIdentifier server = expect(passive, CONNECT_REQUEST).identifier();

        server.reject(new byte[] {4, 5, 6});

        ConnectionEvent rejected = expect(active, REJECTED);
        assertThat(rejected.status()).isEqualTo(ConnectionEvent.REJECTED_BY_CONSUMER);
        assertThat(rejected.parameters().privateData()).containsExactly(4, 5, 6);
        assertThat(client.queuePair().orElseThrow().state()).isEqualTo(QueuePairState.ERROR);
        client.disconnect();
        expectNothing(active);
        expectNothing(passive);
    }

    @Test
    void shouldBeRejectedWhenNobodyListens() throws InterruptedException {
        ConnectionIdentifier bound = passive.createIdentifier();
        bound.bind(loopback(0));
        ConnectionIdentifier toBound = caller(bound);
        ConnectionIdentifier toNobody = caller(bound);

        toBound.connect(ConnectionParameters.ZERO);
        assertThat(expect(active, REJECTED).status())
                .isEqualTo(ConnectionEvent.REJECTED_NO_LISTENER);
        bound.close();
        toNobody.connect(ConnectionParameters.ZERO);
        assertThat(expect(active, REJECTED).status())
                .isEqualTo(ConnectionEvent.REJECTED_NO_LISTENER);
    }

    @Test
    void shouldBeRejectedWhenTheBacklogIsFull() throws InterruptedException {
        ConnectionIdentifier listener = listener(1);
        ConnectionIdentifier first = caller(listener);
        ConnectionIdentifier second = caller(listener);
        ConnectionIdentifier third = caller(listener);
        first.connect(ConnectionParameters.ZERO);
        second.connect(ConnectionParameters.ZERO);

        ConnectionEvent rejected = expect(active, REJECTED);
        expect(passive, CONNECT_REQUEST);
        third.connect(ConnectionParameters.ZERO);

        assertThat(rejected.status()).isEqualTo(3);
        expect(passive, CONNECT_REQUEST);
        expectNothing(active);
    }

    @Test
    void shouldRejectWaitingRequestsWhenTheListenerCloses() throws InterruptedException {
        ConnectionIdentifier listener = listener(4);
        ConnectionIdentifier client = caller(listener);
        // The rejection of a second connection shows when the first has been taken.
        client.connect(ConnectionParameters.ZERO);
        ConnectionIdentifier taken = expect(passive, CONNECT_REQUEST).identifier();
        List<ConnectionIdentifier> waiting = List.of(caller(listener), caller(listener));
        waiting.forEach(identifier -> identifier.connect(ConnectionParameters.ZERO));

        listener.close();

        for (int i = 0; i < waiting.size(); i++) {
            ConnectionEvent rejected = expect(active, REJECTED);
            assertThat(rejected.status()).isEqualTo(ConnectionEvent.REJECTED_NO_LISTENER);
            assertThat(waiting).contains(rejected.identifier());
        }
        createPair(taken);
        taken.accept(ConnectionParameters.ZERO);
        assertThat(expect(active, ESTABLISHED).identifier()).isSameAs(client);
        expect(passive, ESTABLISHED);
        expectNothing(passive);
    }

    @Test
    void shouldRejectWhenARequestIsClosedUnanswered() throws InterruptedException {
        ConnectionIdentifier client = caller(listener(1));
        client.connect(ConnectionParameters.ZERO);

        expect(passive, CONNECT_REQUEST).identifier().close();

        assertThat(expect(active, REJECTED).status())
                .isEqualTo(ConnectionEvent.REJECTED_BY_CONSUMER);
    }

    @Test
    void shouldTellWhenTheCallerGivesUp() throws InterruptedException {
        ConnectionIdentifier client = caller(listener(1));
        client.connect(ConnectionParameters.ZERO);
        ConnectionIdentifier server = expect(passive, CONNECT_REQUEST).identifier();
        createPair(server);

        client.close();

        ConnectionEvent gone = expect(passive, REJECTED);
        assertThat(gone.identifier()).isSameAs(server);
        assertThat(gone.status()).isEqualTo(4);
        assertErrno(Errno.ECONNRESET, () -> server.accept(ConnectionParameters.ZERO), "went away");
    }

    @Test
    void shouldHandOutARequestWhoseCallerHasGivenUp() throws InterruptedException {
        ConnectionIdentifier listener = listener(1);
        ConnectionIdentifier client = caller(listener);
        ConnectionIdentifier probe = caller(listener);
        client.connect(ConnectionParameters.ZERO);
        probe.connect(ConnectionParameters.ZERO);
        // The full backlog shows that the first request waits (or the second, both will do).
        ConnectionIdentifier loser = expect(active, REJECTED).identifier();

        (loser.equals(client) ? probe : client).close();

        ConnectionIdentifier server = expect(passive, CONNECT_REQUEST).identifier();
        assertThat(expect(passive, REJECTED).identifier()).isSameAs(server);
    }

    @Test
    void shouldReachThisHostOnly() throws InterruptedException {
        ConnectionIdentifier identifier = active.createIdentifier();

        identifier.resolveAddress(new InetSocketAddress("192.0.2.1", 5), PATIENCE);
        assertThat(expect(active, ADDRESS_ERROR).status()).isEqualTo(-Errno.EHOSTUNREACH);
        identifier.resolveAddress(
                InetSocketAddress.createUnresolved("no-such-host.invalid", 5), PATIENCE);
        assertThat(expect(active, ADDRESS_ERROR).status())
                .isIn(-Errno.EHOSTUNREACH, -Errno.ETIMEDOUT);
        identifier.resolveAddress(InetSocketAddress.createUnresolved("127.0.0.1", 5), PATIENCE);
        expect(active, ADDRESS_RESOLVED);

        assertThat(identifier.remoteAddress()).contains(loopback(5));
        assertThat(identifier.localAddress().orElseThrow().getPort()).isBetween(32768, 60999);
    }

    @Test
    void shouldTakeTheWildcardForThisHost() throws InterruptedException {
        ConnectionIdentifier listener = passive.createIdentifier();
        listener.bind(new InetSocketAddress(0));
        listener.listen(1);

        caller(listener).connect(ConnectionParameters.ZERO);

        expect(passive, CONNECT_REQUEST);
    }

    @Test
    void shouldRejectWhenBoundToAnotherAddress() throws InterruptedException {
        int port = listener(1).localAddress().orElseThrow().getPort();

        caller(active, new InetSocketAddress("127.0.0.2", port)).connect(ConnectionParameters.ZERO);

        assertThat(expect(active, REJECTED).status())
                .isEqualTo(ConnectionEvent.REJECTED_NO_LISTENER);
    }

    @Test
    void shouldGivePortsToOneAtATime() {
        ConnectionIdentifier first = listener(1);
        InetSocketAddress address = first.localAddress().orElseThrow();
        ConnectionIdentifier second = passive.createIdentifier();

        assertErrno(Errno.EADDRINUSE, () -> second.bind(address), "port: " + address.getPort());
        first.close();
        second.bind(address);

        assertThat(second.localAddress()).contains(address);
    }

    @Test
    void shouldBindToAddressesOfThisHostOnly() {
        ConnectionIdentifier identifier = passive.createIdentifier();

        assertErrno(
                Errno.EADDRNOTAVAIL,
                () -> identifier.bind(new InetSocketAddress("192.0.2.1", 0)),
                "192.0.2.1");
        assertErrno(
                Errno.EADDRNOTAVAIL,
                () -> identifier.bind(InetSocketAddress.createUnresolved("nowhere.invalid", 0)),
                "nowhere.invalid");
    }

    private static ConnectionParameters parameters(
            int resources, int depth, int retry, int rnrRetry, byte[] privateData) {
        return new ConnectionParameters(privateData, resources, depth, retry, rnrRetry);
    }
}
