// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.verbena.verbs.ConnectionEvent;
import io.verbena.verbs.ConnectionEventType;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionIdentifier;
import io.verbena.verbs.ConnectionParameters;
import io.verbena.verbs.Connector;
import io.verbena.verbs.Device;
import io.verbena.verbs.Errno;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** What only the connection manager of real devices can get wrong; needs a real device. */
@Tag("lab")
@EnabledIfEnvironmentVariable(
        named = "VERBENA_LAB",
        matches = "guest",
        disabledReason = "needs soft-RoCE: run it by ./verbena lab run")
@Timeout(120)
class NativeConnectionTest {
    private static final Set<ConnectionEventType> NO_CONNECTION =
            Set.of(
                    ConnectionEventType.REJECTED,
                    ConnectionEventType.UNREACHABLE,
                    ConnectionEventType.CONNECT_ERROR);

    private static final long MAX_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(15);

    private final List<AutoCloseable> opened = new ArrayList<>();
    private CmParty server;
    private CmParty client;
    private InetAddress address;

    @BeforeEach
    void open() {
        Device device = new NativeProvider().devices().getFirst();
        server = party(device);
        client = party(device);
        address = DeviceAddresses.versionFour(server.context()).orElseThrow();
    }

    private CmParty party(Device device) {
        CmParty party = new CmParty(device::open);
        opened.add(party);
        return party;
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable open : opened.reversed()) {
            open.close();
        }
    }

    @Test
    void shouldConnectByVersionSix() throws InterruptedException {
        InetAddress six = DeviceAddresses.versionSix(server.context()).orElseThrow();
        ConnectionIdentifier listener = server.listen(six, 1);

        ConnectionIdentifier active = client.connect(listener);
        ConnectionIdentifier passive = server.accept();

        client.expect(ConnectionEventType.ESTABLISHED);
        server.expect(ConnectionEventType.ESTABLISHED);
        assertThat(active.remoteAddress()).contains(listener.localAddress().orElseThrow());
        assertThat(passive.remoteAddress()).isEqualTo(active.localAddress());
    }

    @Test
    void shouldReportAnAddressNoDeviceReaches() throws InterruptedException {
        ConnectionIdentifier identifier = client.channel().createIdentifier();

        // No host has this address, and if there is a route to it, nobody answers.
        identifier.resolveAddress(
                new InetSocketAddress(InetAddress.ofLiteral("192.0.2.77"), 1),
                Duration.ofSeconds(1));

        ConnectionEvent event = client.expect(ConnectionEventType.ADDRESS_ERROR);
        assertThat(event.status()).isNegative();
        identifier.resolveAddress(new InetSocketAddress(address, 1), CmParty.PATIENCE);
        client.expect(ConnectionEventType.ADDRESS_RESOLVED);
    }

    @Test
    void shouldReportAQueuePairThatCannotFollow() throws InterruptedException {
        ConnectionIdentifier active = client.connect(server.listen(address, 1));
        QueuePair pair = active.queuePair().orElseThrow();
        pair.modify(QueuePairAttributes.to(QueuePairState.ERROR));

        server.accept();

        ConnectionEvent event = client.expect(ConnectionEventType.CONNECT_ERROR);
        assertThat(event.status()).isEqualTo(-Errno.EINVAL);
        assertThat(event.identifier().toString()).contains("ibv_modify_qp");
        assertThat(server.next().type()).isIn(NO_CONNECTION);
    }

    @Test
    void shouldAcceptOnceTheQueuePairCanFollow() throws InterruptedException {
        client.connect(server.listen(address, 1));
        ConnectionIdentifier passive =
                server.expect(ConnectionEventType.CONNECT_REQUEST).identifier();
        server.createQueuePair(passive);
        QueuePair pair = passive.queuePair().orElseThrow();
        pair.modify(QueuePairAttributes.to(QueuePairState.ERROR));
        VerbsException failure =
                catchThrowableOfType(
                        VerbsException.class, () -> passive.accept(ConnectionParameters.DEFAULT));
        assertThat(failure.verb()).isEqualTo("ibv_modify_qp");

        pair.modify(QueuePairAttributes.to(QueuePairState.RESET));
        passive.accept(ConnectionParameters.DEFAULT);

        client.expect(ConnectionEventType.ESTABLISHED);
        server.expect(ConnectionEventType.ESTABLISHED);
        assertThat(pair.state()).isEqualTo(QueuePairState.READY_TO_SEND);
    }

    @Test
    void shouldRefuseToAcceptAPeerThatIsGone() throws InterruptedException {
        ConnectionIdentifier active = client.connect(server.listen(address, 1));
        ConnectionIdentifier passive =
                server.expect(ConnectionEventType.CONNECT_REQUEST).identifier();
        server.createQueuePair(passive);
        active.close();

        VerbsException failure = acceptUntilItFails(passive);

        if (failure != null) {
            assertThat(failure.errno()).isEqualTo(Errno.ECONNRESET);
            assertThat(failure).hasMessageContaining("went away");
        } else {
            // The refusal was still on its way.
            assertThat(server.next().type()).isIn(NO_CONNECTION);
        }
    }

    private static VerbsException acceptUntilItFails(ConnectionIdentifier passive) {
        return catchThrowableOfType(
                VerbsException.class, () -> passive.accept(ConnectionParameters.DEFAULT));
    }

    @RepeatedTest(20)
    void shouldEndWhatIsDisconnectedRightAfterAccepting() throws InterruptedException {
        client.connect(server.listen(address, 1));

        server.accept().disconnect();

        // on either side the connection may have been established before it ended
        assertThat(nextAfterEstablished(client)).isEqualTo(ConnectionEventType.DISCONNECTED);
        assertThat(nextAfterEstablished(server)).isEqualTo(ConnectionEventType.DISCONNECTED);
    }

    private static ConnectionEventType nextAfterEstablished(CmParty side)
            throws InterruptedException {
        ConnectionEventType first = side.next().type();
        return first == ConnectionEventType.ESTABLISHED ? side.next().type() : first;
    }

    @RepeatedTest(20)
    void shouldAnswerAllWhenTheListenerClosesUnderRequests() throws Exception {
        int count = 8;
        ConnectionIdentifier listener = server.listen(address, 3);
        List<ConnectionIdentifier> clients = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            clients.add(client.prepare(listener.localAddress().orElseThrow()));
        }
        FutureTask<Void> closing = start(() -> closeAfterAPause(listener));

        clients.forEach(identifier -> identifier.connect(ConnectionParameters.DEFAULT));

        for (int i = 0; i < count; i++) {
            assertThat(client.next().type()).isIn(NO_CONNECTION);
        }
        closing.get(30, TimeUnit.SECONDS);
    }

    @RepeatedTest(30)
    void shouldCloseContextsInTheMiddleOfAHandshake() throws Exception {
        ConnectionIdentifier active =
                client.prepare(server.listen(address, 1).localAddress().orElseThrow());
        FutureTask<Void> accepting = start(this::acceptIfOpen);
        FutureTask<Void> closing = start(() -> closeAfterAPause(server));

        active.connect(ConnectionParameters.DEFAULT);
        closeAfterAPause(client);

        accepting.get(30, TimeUnit.SECONDS);
        closing.get(30, TimeUnit.SECONDS);
    }

    private static FutureTask<Void> start(Runnable task) {
        FutureTask<Void> future = new FutureTask<>(task, null);
        Thread.ofPlatform().name("other-side").start(future);
        return future;
    }

    private static void closeAfterAPause(AutoCloseable closed) {
        pauseAtRandom();
        try {
            closed.close();
        } catch (Exception e) {
            throw new AssertionError(closed + " does not close", e);
        }
    }

    private void acceptIfOpen() {
        try {
            server.accept();
        } catch (IllegalStateException | VerbsException | AssertionError _) {
            // This side or the peer was closed in between: the test only asks whether everything
            // ends.
            Thread.yield();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** A handshake in an emulated machine takes a few milliseconds. */
    private static void pauseAtRandom() {
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(MAX_PAUSE_NS));
    }

    @Test
    void shouldSayThatAnotherDeviceReachesAnAddress() throws Exception {
        CmParty stranger = stranger();
        InetSocketAddress listening = server.listen(address, 1).localAddress().orElseThrow();

        ConnectionException failure =
                catchThrowableOfType(
                        ConnectionException.class,
                        () -> Connector.resolve(stranger.context(), listening, CmParty.PATIENCE));

        assertThat(failure.event().type()).isEqualTo(ConnectionEventType.ADDRESS_ERROR);
        assertThat(failure.errno()).isEqualTo(Errno.ENODEV);
        assertThat(failure)
                .hasMessageContaining(
                        listening
                                + " is reached through device "
                                + server.context().device().name()
                                + ", this context is "
                                + stranger.context().device().name());
    }

    @Test
    void shouldRefuseToBindToAnAddressOfAnotherDevice() throws Exception {
        CmParty stranger = stranger();
        ConnectionIdentifier identifier = stranger.channel().createIdentifier();

        VerbsException failure =
                catchThrowableOfType(
                        VerbsException.class,
                        () -> identifier.bind(new InetSocketAddress(address, 0)));

        assertThat(failure.errno()).isEqualTo(Errno.ENODEV);
        assertThat(failure).hasMessageContaining("this context is");
    }

    @Test
    void shouldRefuseRequestsOfAnotherDevice() throws Exception {
        CmParty stranger = stranger();
        ConnectionIdentifier listener = stranger.listen(new InetSocketAddress(0).getAddress(), 1);
        int port = listener.localAddress().orElseThrow().getPort();

        client.prepare(new InetSocketAddress(address, port)).connect(ConnectionParameters.DEFAULT);

        ConnectionEvent event = client.expect(ConnectionEventType.REJECTED);
        assertThat(event.status()).isEqualTo(ConnectionEvent.REJECTED_BY_CONSUMER);
    }

    private CmParty stranger() throws IOException, InterruptedException {
        SecondDevice second = new SecondDevice();
        opened.add(second);
        return party(second.device());
    }
}
