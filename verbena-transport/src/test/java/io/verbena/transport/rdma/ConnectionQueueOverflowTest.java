// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.transport.TransportError;
import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.ReceiveWorkRequest;
import io.verbena.verbs.VerbsException;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A completion queue of connections that overflows, which makes every later poll fail. */
@Timeout(60)
class ConnectionQueueOverflowTest {
    private static final int RECEIVES = 1024;

    private RdmaDevice a;
    private RdmaDevice b;

    @BeforeEach
    void open() {
        a = Domains.open(DeviceUnderTest.LEFT);
        b = Domains.open(DeviceUnderTest.RIGHT);
    }

    @AfterEach
    void close() {
        a.close();
        b.close();
    }

    /** Makes a queue unusable, as a device does that reports more than fits. */
    private static void overflow(RdmaDevice domain, CompletionQueue queue) {
        Dispatcher dispatcher = domain.dispatchers().of(Side.CLIENT).getFirst();
        try (ProtectionDomain other = domain.context().allocateProtectionDomain()) {
            assertThat(dispatcher.poller().inTurn(() -> flood(other, queue))).isTrue();
        }
    }

    private static void flood(ProtectionDomain domain, CompletionQueue queue) {
        List<QueuePair> pairs = new ArrayList<>();
        try (Arena arena = Arena.ofConfined();
                MemoryRegion memory = domain.allocate(4096, AccessFlag.LOCAL_WRITE)) {
            ReceiveWorkRequest request = ReceiveWorkRequest.allocate(arena, 1);
            for (int posted = 0; posted <= queue.depth(); posted += RECEIVES) {
                QueuePair pair =
                        domain.createQueuePair(
                                QueuePairOptions.of(queue).withRequests(1, RECEIVES));
                pairs.add(pair);
                pair.modify(
                        QueuePairAttributes.to(QueuePairState.INIT)
                                .pkeyIndex(0)
                                .port(1)
                                .access(AccessFlag.LOCAL_WRITE));
                for (int i = 0; i < RECEIVES; i++) {
                    request.id(0).element(memory, 0, 8);
                    pair.postReceive(request);
                }
                // gives all of them back at once
                pair.modify(QueuePairAttributes.to(QueuePairState.ERROR));
            }
        } finally {
            pairs.forEach(QueuePair::close);
        }
    }

    @Test
    void shouldEndOnlyConnectionsOfFailedQueue() throws Exception {
        List<RecordingSink> ill = new ArrayList<>();
        List<EndpointPair> pairs = new ArrayList<>();
        CompletionGroup first;
        do {
            RecordingSink sink = new RecordingSink();
            pairs.add(EndpointPair.open(a, b, sink, new RecordingSink()));
            sink.awaitOpen();
            ill.add(sink);
            first = groups()[0];
        } while (groups().length == 1);
        RecordingSink well = ill.removeLast();
        EndpointPair healthy = pairs.removeLast();

        overflow(a, first.receives());

        for (RecordingSink sink : ill) {
            assertThat(sink.awaitEnd().error()).isEqualTo(TransportError.ERDMA);
            assertThat(sink.awaitEnd()).hasRootCauseInstanceOf(VerbsException.class);
        }
        healthy.right.write(healthy.rightBytes(new byte[10_000]));
        assertThat(well.awaitBytes(10_000)).hasSize(10_000);
        RecordingSink later = new RecordingSink();
        EndpointPair pair = EndpointPair.open(a, b, later, new RecordingSink());
        pair.right.write(pair.rightBytes(new byte[10_000]));
        assertThat(later.awaitBytes(10_000)).hasSize(10_000);
        Domains.await("the end of the ill ones", () -> a.connections() == 2);
        pairs.forEach(EndpointPair::close);
        pair.close();
        healthy.close();
    }

    private CompletionGroup[] groups() {
        return a.dispatchers().of(Side.CLIENT).getFirst().groups();
    }
}
