// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.verbena.tck.Dialog.Line;
import io.verbena.verbs.ConnectionEvent;
import io.verbena.verbs.ConnectionEventType;
import io.verbena.verbs.ConnectionIdentifier;
import io.verbena.verbs.ConnectionParameters;
import io.verbena.verbs.DeviceAttributes;
import io.verbena.verbs.Errno;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WorkCompletionOpcode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Connecting through the connection manager: events, private data, parameters, addresses, refusals.
 */
public abstract class ConnectionManagerConformance extends ConformanceTest {
    @Test
    void shouldReportEachStepOfTheActiveSideInOrder() throws InterruptedException {
        Dialog dialog = closing(new Dialog(fixture()));
        ConnectionEnd client = dialog.client();
        ConnectionIdentifier identifier = client.channel().createIdentifier();

        identifier.resolveAddress(
                dialog.listener().localAddress().orElseThrow(), fixture().patience());
        assertEvent(client.expect(ConnectionEventType.ADDRESS_RESOLVED), identifier);
        client.assertNoEvent();
        client.createQueuePair(identifier);
        identifier.resolveRoute(fixture().patience());
        assertEvent(client.expect(ConnectionEventType.ROUTE_RESOLVED), identifier);
        client.assertNoEvent();
        identifier.connect(ConnectionParameters.DEFAULT);
        ConnectionEvent request = dialog.server().expect(ConnectionEventType.CONNECT_REQUEST);
        client.assertNoEvent();
        dialog.server().createQueuePair(request.identifier());
        request.identifier().accept(ConnectionParameters.DEFAULT);

        assertEvent(client.expect(ConnectionEventType.ESTABLISHED), identifier);
        client.assertNoEvent();
    }

    @Test
    void shouldReportEachStepOfThePassiveSideInOrder() throws InterruptedException {
        Dialog dialog = closing(new Dialog(fixture()));
        ConnectionEnd server = dialog.server();
        server.assertNoEvent();
        dialog.startConnect(ConnectionParameters.DEFAULT);

        ConnectionEvent request = server.expect(ConnectionEventType.CONNECT_REQUEST);
        assertThat(request.status()).isZero();
        assertThat(request.listener()).contains(dialog.listener());
        assertThat(request.identifier()).isNotSameAs(dialog.listener());
        server.assertNoEvent();
        server.createQueuePair(request.identifier());
        request.identifier().accept(ConnectionParameters.DEFAULT);

        assertEvent(server.expect(ConnectionEventType.ESTABLISHED), request.identifier());
        server.assertNoEvent();
    }

    @Test
    void shouldLeadTheQueuePairsToReadyToSend() throws InterruptedException {
        Dialog dialog = closing(new Dialog(fixture()));
        ConnectionIdentifier active = dialog.client().resolve(dialog.listener());
        QueuePair pair = dialog.client().createQueuePair(active);
        assertThat(pair.state()).isEqualTo(QueuePairState.INIT);
        assertThat(active.queuePair()).contains(pair);

        Line line = dialog.establish();

        assertThat(line.activePair().state()).isEqualTo(QueuePairState.READY_TO_SEND);
        assertThat(line.passivePair().state()).isEqualTo(QueuePairState.READY_TO_SEND);
    }

    @Test
    void shouldKnowTheAddressesOfBothSides() throws InterruptedException {
        Dialog dialog = closing(new Dialog(fixture()));

        Line line = dialog.establish();

        InetSocketAddress listening = dialog.listener().localAddress().orElseThrow();
        assertThat(line.active().remoteAddress()).contains(listening);
        assertThat(line.passive().localAddress()).contains(listening);
        assertThat(line.active().localAddress()).isEqualTo(line.passive().remoteAddress());
        assertThat(line.active().localAddress()).isPresent();
    }

    @Test
    void shouldMoveDataBothWaysOnceEstablished() throws InterruptedException {
        Dialog dialog = closing(new Dialog(fixture()));

        Line line = dialog.establish();

        dialog.exchange(line);
    }

    @Test
    void shouldDeliverWhatTheActiveSideSendsAtOnce() throws InterruptedException {
        Dialog dialog = closing(new Dialog(fixture()));
        Line line = dialog.request(ConnectionParameters.DEFAULT);
        line.passive().accept(ConnectionParameters.DEFAULT);

        dialog.client().expect(ConnectionEventType.ESTABLISHED);
        dialog.client().postSend(line.activePair(), 100);

        dialog.server().awaitCompletion().assertSuccess(WorkCompletionOpcode.RECEIVE).assertId(1);
        dialog.client().awaitCompletion().assertSuccess(WorkCompletionOpcode.SEND).assertId(100);
        dialog.server().expect(ConnectionEventType.ESTABLISHED);
    }

    @Test
    void shouldDeliverWhatThePassiveSideSendsAtOnce() throws InterruptedException {
        Dialog dialog = closing(new Dialog(fixture()));
        Line line = dialog.request(ConnectionParameters.DEFAULT);
        line.passive().accept(ConnectionParameters.DEFAULT);

        dialog.server().expect(ConnectionEventType.ESTABLISHED);
        dialog.server().postSend(line.passivePair(), 100);

        dialog.client().awaitCompletion().assertSuccess(WorkCompletionOpcode.RECEIVE).assertId(1);
        dialog.server().awaitCompletion().assertSuccess(WorkCompletionOpcode.SEND).assertId(100);
        dialog.client().expect(ConnectionEventType.ESTABLISHED);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, ConnectionParameters.MAX_CONNECT_DATA})
    void shouldCarryPrivateDataOfTheRequest(int length) throws InterruptedException {
        Dialog dialog = closing(new Dialog(fixture()));
        byte[] data = Pattern.bytes(7, length);

        dialog.startConnect(ConnectionParameters.DEFAULT.withPrivateData(data));

        assertCarried(dialog.server().expect(ConnectionEventType.CONNECT_REQUEST), data);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, ConnectionParameters.MAX_ACCEPT_DATA})
    void shouldCarryPrivateDataOfTheAcceptance(int length) throws InterruptedException {
        Dialog dialog = closing(new Dialog(fixture()));
        byte[] data = Pattern.bytes(8, length);
        Line line = dialog.request(ConnectionParameters.DEFAULT);

        line.passive().accept(ConnectionParameters.DEFAULT.withPrivateData(data));

        assertCarried(dialog.client().expect(ConnectionEventType.ESTABLISHED), data);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, ConnectionParameters.MAX_REJECT_DATA})
    void shouldCarryPrivateDataOfTheRejection(int length) throws InterruptedException {
        Dialog dialog = closing(new Dialog(fixture()));
        byte[] data = Pattern.bytes(9, length);
        ConnectionIdentifier active = dialog.startConnect(ConnectionParameters.DEFAULT);
        ConnectionEvent request = dialog.server().expect(ConnectionEventType.CONNECT_REQUEST);

        request.identifier().reject(data);

        ConnectionEvent event = dialog.client().expect(ConnectionEventType.REJECTED);
        assertThat(event.identifier()).isSameAs(active);
        assertThat(event.status()).isEqualTo(ConnectionEvent.REJECTED_BY_CONSUMER);
        assertCarried(event, data);
    }

    @Test
    void shouldRefusePrivateDataBeyondTheLimit() throws InterruptedException {
        Dialog dialog = closing(new Dialog(fixture()));
        ConnectionIdentifier active = dialog.prepareActive();

        assertTooLong(
                ConnectionParameters.MAX_CONNECT_DATA,
                data -> active.connect(ConnectionParameters.DEFAULT.withPrivateData(data)));
        active.connect(ConnectionParameters.DEFAULT);
        ConnectionIdentifier passive =
                dialog.server().expect(ConnectionEventType.CONNECT_REQUEST).identifier();
        dialog.server().createQueuePair(passive);
        assertTooLong(
                ConnectionParameters.MAX_ACCEPT_DATA,
                data -> passive.accept(ConnectionParameters.DEFAULT.withPrivateData(data)));
        assertTooLong(ConnectionParameters.MAX_REJECT_DATA, passive::reject);

        passive.accept(ConnectionParameters.DEFAULT);
        dialog.client().expect(ConnectionEventType.ESTABLISHED);
    }

    @Test
    void shouldShowParametersFromTheOtherSide() throws InterruptedException {
        Dialog dialog = closing(new Dialog(fixture()));
        DeviceAttributes limits = dialog.client().context().queryDevice();
        Assumptions.assumeTrue(
                limits.maxReadAtomic() >= 4 && limits.maxInitiatorReadAtomic() >= 4,
                "too few reads at a time to tell the sides apart");

        Line line =
                dialog.request(ConnectionParameters.DEFAULT.withReadAtomic(4, 2).withRetries(5, 6));

        ConnectionParameters offered = lastOffered(dialog, line);
        assertThat(offered.responderResources()).isEqualTo(2);
        assertThat(offered.initiatorDepth()).isEqualTo(4);
        assertThat(offered.retryCount()).isEqualTo(5);
        assertThat(offered.rnrRetryCount()).isEqualTo(6);
        line.passive().accept(ConnectionParameters.DEFAULT.withReadAtomic(1, 3));
        ConnectionParameters answered =
                dialog.client().expect(ConnectionEventType.ESTABLISHED).parameters();
        assertThat(answered.responderResources()).isEqualTo(3);
        assertThat(answered.initiatorDepth()).isEqualTo(1);
    }

    private static ConnectionParameters lastOffered(Dialog dialog, Line line) {
        return dialog.server().seen().stream()
                .filter(event -> event.identifier().equals(line.passive()))
                .findFirst()
                .orElseThrow()
                .parameters();
    }

    @Test
    void shouldReportThatNobodyListens() throws InterruptedException {
        Dialog dialog = closing(new Dialog(fixture()));
        InetSocketAddress address = dialog.listener().localAddress().orElseThrow();
        dialog.listener().close();
        ConnectionIdentifier identifier = dialog.client().resolve(address);
        dialog.client().createQueuePair(identifier);

        identifier.connect(ConnectionParameters.DEFAULT);

        ConnectionEvent event = dialog.client().next();
        assertThat(event.identifier()).isSameAs(identifier);
        if (event.type() != ConnectionEventType.UNREACHABLE
                || !dialog.client().context().device().isHardware()) {
            assertThat(event.type()).isEqualTo(ConnectionEventType.REJECTED);
            assertThat(event.status()).isEqualTo(ConnectionEvent.REJECTED_NO_LISTENER);
        }
    }

    @Test
    void shouldTakeAnyFreePort() {
        Dialog dialog = closing(new Dialog(fixture()));
        ConnectionIdentifier other = dialog.server().listen(1);

        int first = dialog.listener().localAddress().orElseThrow().getPort();
        int second = other.localAddress().orElseThrow().getPort();

        assertThat(first).isBetween(1, 65535);
        assertThat(second).isBetween(1, 65535).isNotEqualTo(first);
    }

    @Test
    void shouldRefuseAPortInUse() {
        Dialog dialog = closing(new Dialog(fixture()));
        InetSocketAddress address = dialog.listener().localAddress().orElseThrow();

        // From the same context and from another one.
        for (ConnectionEnd end : List.of(dialog.server(), dialog.client())) {
            ConnectionIdentifier second = end.channel().createIdentifier();
            assertErrno(Errno.EADDRINUSE, () -> second.bind(address));
        }
        dialog.listener().close();

        ConnectionIdentifier third = dialog.server().channel().createIdentifier();
        third.bind(address);
        third.listen(1);
        assertThat(third.localAddress()).contains(address);
    }

    @Test
    void shouldListenOnTheWildcardAddress() throws InterruptedException {
        Dialog dialog = closing(new Dialog(fixture()));
        ConnectionIdentifier listener = dialog.server().channel().createIdentifier();
        listener.bind(new InetSocketAddress(0));
        listener.listen(4);
        int port = listener.localAddress().orElseThrow().getPort();

        ConnectionIdentifier identifier =
                dialog.client().resolve(new InetSocketAddress(fixture().address(), port));
        dialog.client().createQueuePair(identifier);
        identifier.connect(ConnectionParameters.DEFAULT);

        ConnectionEvent event = dialog.server().expect(ConnectionEventType.CONNECT_REQUEST);
        assertThat(event.listener()).contains(listener);
    }

    @Test
    void shouldRefuseToBindToAnAddressOfAnotherHost() throws UnknownHostException {
        Dialog dialog = closing(new Dialog(fixture()));
        ConnectionIdentifier identifier = dialog.server().channel().createIdentifier();

        VerbsException failure =
                catchThrowableOfType(
                        VerbsException.class,
                        () -> identifier.bind(new InetSocketAddress(foreignAddress(), 0)));

        assertThat(failure).as("a VerbsException").isNotNull();
        assertThat(failure).hasMessageContaining("192.0.2.77");
        if (dialog.server().context().device().isHardware()) {
            assertThat(failure.errno()).isIn(Errno.EADDRNOTAVAIL, Errno.ENODEV);
        } else {
            assertThat(failure.errno()).isEqualTo(Errno.EADDRNOTAVAIL);
        }
    }

    @Test
    void shouldReportAnAddressItCannotReach() throws Exception {
        Dialog dialog = closing(new Dialog(fixture()));
        Assumptions.assumeFalse(
                dialog.client().context().device().isHardware(), "the device reaches other hosts");
        ConnectionIdentifier identifier = dialog.client().channel().createIdentifier();

        identifier.resolveAddress(
                new InetSocketAddress(foreignAddress(), 4), Duration.ofSeconds(1));

        ConnectionEvent event = dialog.client().expect(ConnectionEventType.ADDRESS_ERROR);
        assertThat(event.identifier()).isSameAs(identifier);
        assertThat(event.status()).isNegative();
    }

    @Test
    void shouldRefuseAnUnresolvedName() throws InterruptedException {
        Dialog dialog = closing(new Dialog(fixture()));
        ConnectionIdentifier identifier = dialog.client().channel().createIdentifier();
        InetSocketAddress unresolved = InetSocketAddress.createUnresolved("nowhere.invalid", 4);

        Throwable failure =
                catchThrowable(() -> identifier.resolveAddress(unresolved, Duration.ofSeconds(1)));

        // Either the call or its event may report it.
        if (failure == null) {
            dialog.client().expect(ConnectionEventType.ADDRESS_ERROR);
        } else {
            assertThat(failure)
                    .isInstanceOfAny(IllegalArgumentException.class, VerbsException.class)
                    .hasMessageContaining("nowhere.invalid");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1})
    void shouldRefuseABacklogBelowOne(int backlog) {
        Dialog dialog = closing(new Dialog(fixture()));
        ConnectionIdentifier identifier = dialog.server().channel().createIdentifier();
        identifier.bind(dialog.server().anyPort());

        assertThatThrownBy(() -> identifier.listen(backlog))
                .isInstanceOfAny(IllegalArgumentException.class, VerbsException.class)
                .hasMessageContaining("backlog: " + backlog);
    }

    @Test
    void shouldAnswerEveryRequestBeyondTheBacklog() throws InterruptedException {
        Dialog dialog = closing(new Dialog(fixture()));
        ConnectionIdentifier listener = dialog.server().listen(2);
        List<ConnectionIdentifier> clients = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            ConnectionIdentifier identifier = dialog.client().resolve(listener);
            dialog.client().createQueuePair(identifier);
            clients.add(identifier);
        }
        clients.forEach(client -> client.connect(ConnectionParameters.DEFAULT));

        int accepted = 0;
        for (int ended = 0; ended < 5; ended++) {
            accepted += awaitOutcome(dialog) == ConnectionEventType.ESTABLISHED ? 1 : 0;
        }

        assertThat(accepted).isBetween(2, 5);
    }

    /** Accepts the server's requests until a client has its answer. */
    private ConnectionEventType awaitOutcome(Dialog dialog) throws InterruptedException {
        long start = System.nanoTime();
        while (System.nanoTime() - start < fixture().patience().toNanos()) {
            Optional<ConnectionEvent> request = dialog.server().next(Duration.ZERO);
            if (request.isPresent()
                    && request.get().type() == ConnectionEventType.CONNECT_REQUEST) {
                ConnectionIdentifier identifier = request.get().identifier();
                dialog.server().createQueuePair(identifier);
                identifier.accept(ConnectionParameters.DEFAULT);
            }
            Optional<ConnectionEvent> outcome = dialog.client().next(Duration.ofMillis(10));
            if (outcome.isPresent()) {
                return outcome.get().type();
            }
        }
        throw new AssertionError("a request without answer; client saw " + dialog.client().seen());
    }

    @Test
    void shouldKeepAnAttachment() {
        Dialog dialog = closing(new Dialog(fixture()));
        Object object = new Object();
        assertThat(dialog.listener().attachment()).isNull();

        dialog.listener().attach(object);

        assertThat(dialog.listener().attachment()).isSameAs(object);
    }

    /** An address reserved for documentation, which no host has. */
    private static InetAddress foreignAddress() throws UnknownHostException {
        return InetAddress.getByAddress(new byte[] {(byte) 192, 0, 2, 77});
    }

    private static void assertEvent(ConnectionEvent event, ConnectionIdentifier identifier) {
        assertThat(event.identifier()).isSameAs(identifier);
        assertThat(event.status()).isZero();
        assertThat(event.listener()).isEmpty();
    }

    /** Wires may pad private data with zeros, but never truncate or change it. */
    private static void assertCarried(ConnectionEvent event, byte[] sent) {
        byte[] received = event.parameters().privateData();
        assertThat(received).hasSizeGreaterThanOrEqualTo(sent.length);
        assertThat(received).isEqualTo(Arrays.copyOf(sent, received.length));
    }

    private interface DataCall {
        void send(byte[] data);
    }

    private static void assertTooLong(int limit, DataCall call) {
        assertThatThrownBy(() -> call.send(new byte[limit + 1]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(String.valueOf(limit + 1))
                .hasMessageContaining("expected")
                .hasMessageContaining(String.valueOf(limit));
    }
}
