// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft.cm;

import static io.verbena.verbs.ConnectionEventType.CONNECT_ERROR;
import static io.verbena.verbs.ConnectionEventType.CONNECT_REQUEST;
import static io.verbena.verbs.ConnectionEventType.ESTABLISHED;
import static io.verbena.verbs.ConnectionEventType.REJECTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.ConnectionIdentifier;
import io.verbena.verbs.ConnectionParameters;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Errno;
import io.verbena.verbs.EventChannel;
import io.verbena.verbs.PathMtu;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The connection manager over a device without a data path. */
class RecordingConnectionTest extends LifecycleScenarios {
    @TempDir private Path folder;

    @Override
    DeviceContext openContext() {
        return new RecordingContext(folder, CmTimeouts.DEFAULT);
    }

    @Test
    void shouldSetTheQueuePairsAsAgreed() throws InterruptedException {
        ConnectionIdentifier client = caller(listener(1));
        client.connect(new ConnectionParameters(new byte[0], 3, 9, 5, 6));
        ConnectionIdentifier server = expect(passive, CONNECT_REQUEST).identifier();
        createPair(server);

        server.accept(new ConnectionParameters(new byte[0], 8, 2, 1, 4));

        QueuePairAttributes accepted = server.queuePair().orElseThrow().query();
        expect(active, ESTABLISHED);
        QueuePairAttributes connected = client.queuePair().orElseThrow().query();
        assertSettings(accepted, 5, 6);
        assertSettings(connected, 5, 4);
        assertThat(accepted.maxReadAtomic()).isEqualTo(2);
        assertThat(connected.maxReadAtomic()).isEqualTo(8);
        assertThat(accepted.maxDestinationReadAtomic()).isEqualTo(8);
        assertThat(connected.maxDestinationReadAtomic()).isEqualTo(2);
        assertThat(accepted.destination()).isEqualTo(client.queuePair().orElseThrow().number());
        assertThat(connected.destination()).isEqualTo(server.queuePair().orElseThrow().number());
        assertThat(accepted.sendPacketSequenceNumber())
                .isEqualTo(connected.receivePacketSequenceNumber());
        assertThat(connected.sendPacketSequenceNumber())
                .isEqualTo(accepted.receivePacketSequenceNumber());
    }

    private static void assertSettings(QueuePairAttributes set, int retry, int rnr) {
        assertThat(set.state()).isEqualTo(QueuePairState.READY_TO_SEND);
        assertThat(set.access()).isEqualTo(AccessFlag.bits(AccessFlag.values()));
        assertThat(set.destinationGid()).isEqualTo(RecordingContext.GID);
        assertThat(set.pathMtu()).isEqualTo(PathMtu.MTU_2048);
        assertThat(set.timeout()).isEqualTo(14);
        assertThat(set.minRnrTimer()).isEqualTo(12);
        assertThat(set.retryCount()).isEqualTo(retry);
        assertThat(set.rnrRetry()).isEqualTo(rnr);
    }

    @Test
    void shouldKnowTheLimitsOfTheDevice() throws InterruptedException {
        ConnectionIdentifier client = caller(listener(1));

        assertErrno(
                Errno.EINVAL,
                () -> client.connect(ConnectionParameters.DEFAULT.withReadAtomic(17, 1)),
                "responderResources: 17 (expected: 0..16 or 255)");
        assertErrno(
                Errno.EINVAL,
                () -> client.connect(ConnectionParameters.DEFAULT.withReadAtomic(1, 254)),
                "initiatorDepth: 254 (expected: 0..16 or 255)");
        client.connect(ConnectionParameters.DEFAULT.withReadAtomic(255, 255));

        ConnectionParameters offered = expect(passive, CONNECT_REQUEST).parameters();
        assertThat(offered.initiatorDepth()).isEqualTo(16);
        assertThat(offered.responderResources()).isEqualTo(16);
    }

    @Test
    void shouldGoBackWhenTheQueuePairCannotBeMoved() throws InterruptedException {
        ConnectionIdentifier client = caller(listener(1));
        client.connect(ConnectionParameters.ZERO);
        ConnectionIdentifier server = expect(passive, CONNECT_REQUEST).identifier();
        createPair(server).close();

        assertThatThrownBy(() -> server.accept(ConnectionParameters.ZERO))
                .hasMessage("queue pair is closed");
        server.reject(new byte[0]);

        expect(active, REJECTED);
    }

    @Test
    void shouldReportWhenTheCallersQueuePairCannotBeMoved() throws InterruptedException {
        ConnectionIdentifier client = caller(listener(1));
        client.queuePair().orElseThrow().close();
        client.connect(ConnectionParameters.ZERO);
        ConnectionIdentifier server = expect(passive, CONNECT_REQUEST).identifier();
        createPair(server);

        server.accept(ConnectionParameters.ZERO);

        assertThat(expect(active, CONNECT_ERROR).status()).isEqualTo(-Errno.EIO);
        assertThat(expect(passive, REJECTED).status()).isEqualTo(28);
    }

    @Test
    void shouldReportWhateverTheCallersQueuePairThrows() throws InterruptedException {
        List<Throwable> throwables =
                List.of(
                        new IllegalArgumentException("injected"),
                        new OutOfMemoryError("injected"),
                        new AssertionError("injected"),
                        new IOException("injected, and declared nowhere"));
        for (Throwable throwable : throwables) {
            ConnectionIdentifier client = caller(listener(1));
            RecordingQueuePair pair = (RecordingQueuePair) client.queuePair().orElseThrow();
            client.connect(ConnectionParameters.ZERO);
            ConnectionIdentifier server = expect(passive, CONNECT_REQUEST).identifier();
            createPair(server);
            pair.failWith(throwable);

            server.accept(ConnectionParameters.ZERO);

            assertThat(expect(active, CONNECT_ERROR).status()).isEqualTo(-Errno.EIO);
            assertThat(passive.awaitEvent(PATIENCE)).as("%s", throwable).isPresent();
        }
        connect();
    }

    @Test
    void shouldCloseTheQueuePair() throws InterruptedException {
        Pair pair = connect();
        RecordingQueuePair closed = (RecordingQueuePair) pair.client().queuePair().orElseThrow();

        pair.client().close();

        assertThat(closed.isClosed()).isTrue();
        assertThat(closed.state()).isEqualTo(QueuePairState.ERROR);
    }

    @Test
    void shouldRefuseADomainOfAnotherContext() throws InterruptedException {
        ConnectionIdentifier client = caller(listener(1));
        try (DeviceContext other = openContext();
                EventChannel channel = other.createEventChannel()) {
            ConnectionIdentifier identifier = channel.createIdentifier();
            identifier.bind(loopback(0));

            assertErrno(Errno.EINVAL, () -> createPair(identifier), "domain", "context");
            assertErrno(Errno.EINVAL, () -> client.migrate(channel), "channel", "context");
        }
    }
}
