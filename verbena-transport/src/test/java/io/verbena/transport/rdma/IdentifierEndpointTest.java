// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.ConnectionEvent;
import io.verbena.verbs.ConnectionEventType;
import io.verbena.verbs.ConnectionIdentifier;
import io.verbena.verbs.ConnectionParameters;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Devices;
import io.verbena.verbs.EventChannel;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Endpoints whose queue pairs the connection manager makes and connects. */
class IdentifierEndpointTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    @Test
    void shouldCarryBytesAndCloseTheIdentifierAtTheEnd() throws Exception {
        DeviceContext leftContext = Devices.open(DeviceUnderTest.LEFT);
        DeviceContext rightContext = Devices.open(DeviceUnderTest.RIGHT);
        try (RdmaDevice a = RdmaDevice.open(leftContext, Domains.FLAGS, Domains.SMALL_POOL);
                RdmaDevice b = RdmaDevice.open(rightContext, Domains.FLAGS, Domains.SMALL_POOL)) {
            EventChannel leftEvents = leftContext.createEventChannel();
            EventChannel rightEvents = rightContext.createEventChannel();
            ConnectionIdentifier listener = rightEvents.createIdentifier();
            listener.bind(new InetSocketAddress(DeviceUnderTest.address(), 0));
            listener.listen(1);
            ConnectionIdentifier active = leftEvents.createIdentifier();
            active.resolveAddress(listener.localAddress().orElseThrow(), LIMIT);
            await(leftEvents, ConnectionEventType.ADDRESS_RESOLVED);
            RdmaEndpoint left = a.endpoints().allocate(Side.CLIENT, active);
            active.resolveRoute(LIMIT);
            await(leftEvents, ConnectionEventType.ROUTE_RESOLVED);
            active.connect(ConnectionParameters.DEFAULT);
            ConnectionIdentifier passive =
                    await(rightEvents, ConnectionEventType.CONNECT_REQUEST).identifier();
            RdmaEndpoint right = b.endpoints().allocate(Side.SERVER, passive);
            right.bringUp(left.hello());
            left.bringUp(right.hello());
            passive.accept(ConnectionParameters.DEFAULT);
            await(leftEvents, ConnectionEventType.ESTABLISHED);
            await(rightEvents, ConnectionEventType.ESTABLISHED);
            RecordingSink leftSink = new RecordingSink();
            RecordingSink rightSink = new RecordingSink();
            left.open(leftSink);
            right.open(rightSink);
            byte[] bytes = new byte[1 << 20];
            new Random(1).nextBytes(bytes);

            left.write(a.pool().buffer().append(bytes));

            assertThat(rightSink.awaitBytes(bytes.length)).isEqualTo(bytes);
            left.close(EndpointPair.bye());
            leftSink.awaitEnd();
            right.peerClosed(EndpointPair.peerBye());
            rightSink.awaitEnd();
            Domains.awaitBlocks(a);
            Domains.awaitBlocks(b);
            listener.close();
        }
    }

    private static ConnectionEvent await(EventChannel events, ConnectionEventType type)
            throws InterruptedException {
        ConnectionEvent event = events.awaitEvent(LIMIT).orElseThrow();
        assertThat(event.type()).isEqualTo(type);
        return event;
    }
}
