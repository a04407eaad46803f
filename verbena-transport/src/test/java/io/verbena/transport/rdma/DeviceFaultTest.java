// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.memory.Block;
import io.verbena.memory.BlockType;
import io.verbena.memory.BlockUse;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A device that refuses: the operation or the connection fails, and leaves nothing behind. */
class DeviceFaultTest {
    private final WatchedDevice device = new WatchedDevice(DeviceUnderTest.LEFT);
    private final RecordingSink sinkA = new RecordingSink();
    private final RecordingSink sinkB = new RecordingSink();
    private RdmaDevice a;
    private RdmaDevice b;

    @BeforeEach
    void open() {
        a = device.open(Domains.FLAGS);
        b = Domains.open(DeviceUnderTest.RIGHT);
    }

    @AfterEach
    void close() {
        device.relent();
        a.close();
        b.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"createQueuePair", "createCompletionQueue"})
    void shouldSayThatNoEndpointCanBeMade(String verb) throws Exception {
        device.refuse(verb, 0);

        assertThatThrownBy(() -> a.endpoints().allocate(Side.CLIENT))
                .isInstanceOfSatisfying(
                        TransportException.class,
                        e -> assertThat(e.error()).isEqualTo(TransportError.ERDMA));
        device.relent();

        assertThatAConnectionWorks();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void shouldSayThatAQueuePairCannotBeConnected(int after) throws Exception {
        RdmaEndpoint endpoint = a.endpoints().allocate(Side.CLIENT);
        RdmaEndpoint other = b.endpoints().allocate(Side.SERVER);
        device.refuse("modify", after);

        assertThatThrownBy(() -> endpoint.bringUp(other.hello()))
                .isInstanceOfSatisfying(
                        TransportException.class,
                        e -> assertThat(e.error()).isEqualTo(TransportError.ERDMA));
        device.relent();
        endpoint.abort(EndpointPair.bye());
        other.abort(EndpointPair.bye());

        Domains.await("the end", () -> a.connections() + b.connections() == 0);
        Domains.awaitBlocks(a);
        assertThatAConnectionWorks();
    }

    @Test
    void shouldSayThatThereIsNoMemoryForReceives() throws Exception {
        RdmaEndpoint endpoint = a.endpoints().allocate(Side.CLIENT);
        RdmaEndpoint other = b.endpoints().allocate(Side.SERVER);
        device.refuse("allocate", 0);

        assertThatThrownBy(() -> endpoint.bringUp(other.hello()))
                .isInstanceOf(TransportException.class);
        device.relent();
        endpoint.abort(EndpointPair.bye());
        other.abort(EndpointPair.bye());

        Domains.await("the end", () -> a.connections() + b.connections() == 0);
        // the pool does not ask a device again for a while after it refused
        Domains.await("memory", this::hasMemory);
        assertThatAConnectionWorks();
    }

    private boolean hasMemory() {
        Optional<Block> block = a.pool().tryAllocate(BlockType.DEFAULT, BlockUse.RECEIVE);
        block.ifPresent(Block::release);
        return block.isPresent();
    }

    @Test
    void shouldEndAConnectionThatCannotPost() throws Exception {
        EndpointPair pair = EndpointPair.open(a, b, sinkA, sinkB);
        device.refuse("postSend", 1); // the first chain goes, the second does not

        pair.left.write(pair.leftBytes(new byte[100_000]));

        assertThat(sinkA.awaitEnd().error()).isEqualTo(TransportError.ERDMA);
        device.relent();
        pair.right.peerClosed(EndpointPair.peerBye());
        sinkB.awaitEnd();
        Domains.awaitBlocks(a);
        assertThatAConnectionWorks();
    }

    @Test
    void shouldEndAConnectionThatCannotPostReceives() throws Exception {
        EndpointPair pair = EndpointPair.open(a, b, sinkA, sinkB);
        device.refuse("postReceive", 2);

        pair.right.write(pair.rightBytes(new byte[1 << 20]));

        assertThat(sinkA.awaitEnd().error()).isEqualTo(TransportError.ERDMA);
        device.relent();
        Domains.await("blocks", () -> a.pool().outstanding().isEmpty());
    }

    @Test
    void shouldDestroyAQueuePairThatCannotBeReset() throws Exception {
        EndpointPair pair = EndpointPair.open(a, b, sinkA, sinkB);
        sinkA.awaitOpen();
        device.refuse("modify", 0);

        pair.left.close(EndpointPair.bye());

        sinkA.awaitEnd();
        assertThat(device.queuePairs).hasValue(0);
    }

    @Test
    void shouldDisableRdmaWhenTheDeviceDies() throws Exception {
        EndpointPair.open(a, b, sinkA, sinkB);
        QueuePairEndpoints endpoints = (QueuePairEndpoints) a.endpoints();

        endpoints.onEvent(AsyncEvent.of(AsyncEventType.DEVICE_FATAL, 0));

        assertThat(sinkA.awaitEnd().error()).isEqualTo(TransportError.ERDMA);
        assertThat(a.endpoints().isAvailable()).isFalse();
    }

    @Test
    void shouldUseTcpForNewConnectionsWhileThePortIsDown() throws Exception {
        EndpointPair pair = EndpointPair.open(a, b, sinkA, sinkB);
        QueuePairEndpoints endpoints = (QueuePairEndpoints) a.endpoints();

        endpoints.onEvent(AsyncEvent.of(AsyncEventType.PORT_ERROR, 1));
        boolean isAvailableWhileDown = a.endpoints().isAvailable();
        endpoints.onEvent(AsyncEvent.of(AsyncEventType.PORT_ACTIVE, 1));

        assertThat(isAvailableWhileDown).isFalse();
        assertThat(a.endpoints().isAvailable()).isTrue();
        pair.left.write(pair.leftBytes(new byte[10]));
        assertThat(sinkB.awaitBytes(10)).hasSize(10);
    }

    @Test
    void shouldEndTheConnectionWhoseQueuePairFailedAndNoOther() throws Exception {
        EndpointPair pair = EndpointPair.open(a, b, sinkA, sinkB);
        RecordingSink otherSink = new RecordingSink();
        EndpointPair other = EndpointPair.open(a, b, otherSink, new RecordingSink());
        sinkB.awaitOpen();

        // the peer's end is noticed although nothing is in flight
        pair.right.abort(EndpointPair.bye());
        sinkB.awaitEnd();
        pair.left.write(pair.leftBytes(new byte[10]));

        assertThat(sinkA.awaitEnd().error()).isEqualTo(TransportError.ERDMA);
        assertThat(otherSink.hasEnded()).isFalse();
        other.close();
    }

    private void assertThatAConnectionWorks() throws Exception {
        RecordingSink right = new RecordingSink();
        try (EndpointPair pair = EndpointPair.open(a, b, new RecordingSink(), right)) {
            pair.left.write(pair.leftBytes(new byte[50_000]));
            assertThat(right.awaitBytes(50_000)).hasSize(50_000);
        }
    }
}
