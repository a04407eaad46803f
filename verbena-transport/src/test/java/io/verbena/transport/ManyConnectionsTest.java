// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections come and go, and leave nothing behind. */
class ManyConnectionsTest {
    /** 10,000 in the long run. */
    private static final int CONNECTIONS = Integer.getInteger("verbena.test.connections", 300);

    private static final int AT_ONCE = 10;
    private static final TransportFlags FLAGS =
            TransportFlags.DEFAULT.with(TransportFlag.RDMA_RQ_SIZE, 16);

    @Test
    @Timeout(600)
    void shouldLeaveNothingBehind() throws Exception {
        WatchedDevice left = new WatchedDevice(DeviceUnderTest.LEFT);
        WatchedDevice right = new WatchedDevice(DeviceUnderTest.RIGHT);
        RdmaDomain a = left.open(FLAGS);
        RdmaDomain b = right.open(FLAGS);
        connectAndClose(a, b, AT_ONCE);
        Domains.await("rest", () -> isAtRest(left) && isAtRest(right));
        long threads = threads();
        long descriptors = descriptors();

        connectAndClose(a, b, CONNECTIONS);

        Domains.await("rest", () -> isAtRest(left) && isAtRest(right));
        assertThat(threads()).isLessThanOrEqualTo(threads);
        assertThat(descriptors()).isLessThanOrEqualTo(descriptors);
        Domains.awaitBlocks(a);
        Domains.awaitBlocks(b);
        assertThat(a.connections() + b.connections()).isZero();
        a.close();
        b.close();
        assertThat(left.queuePairs).hasValue(0);
        assertThat(right.queuePairs).hasValue(0);
        assertThat(threads()).isLessThan(threads);
    }

    /** Some are closed, some aborted, some never opened, some end in mid-stream. */
    private static void connectAndClose(RdmaDomain a, RdmaDomain b, int count) throws Exception {
        for (int done = 0; done < count; done += AT_ONCE) {
            List<EndpointPair> pairs = new ArrayList<>();
            List<RecordingSink> sinks = new ArrayList<>();
            for (int i = 0; i < AT_ONCE; i++) {
                RecordingSink left = new RecordingSink();
                RecordingSink right = new RecordingSink();
                EndpointPair pair = EndpointPair.open(a, b, left, right);
                pair.left.write(pair.leftBytes(new byte[1 + i * 1000]));
                pairs.add(pair);
                sinks.add(left);
                sinks.add(right);
            }
            a.endpoints().allocate().abort(EndpointPair.bye());
            for (int i = 0; i < AT_ONCE; i++) {
                end(pairs.get(i), i, sinks.get(2 * i), sinks.get(2 * i + 1));
            }
        }
    }

    private static void end(EndpointPair pair, int how, RecordingSink left, RecordingSink right)
            throws Exception {
        if (how % 3 == 0) {
            right.awaitBytes(1 + how * 1000);
            pair.left.close(EndpointPair.bye());
            assertThat(left.awaitEnd().error()).isEqualTo(TransportError.ECLOSE);
        } else {
            pair.left.abort(EndpointPair.bye());
            left.awaitEnd();
        }
        pair.right.peerClosed(EndpointPair.peerBye());
        assertThat(right.awaitEnd().error()).isEqualTo(TransportError.EEOF);
    }

    /** No more queue pairs than the prepared ones. */
    private static boolean isAtRest(WatchedDevice device) {
        return device.queuePairs.get() <= 8;
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("verbena-rdma"))
                .count();
    }

    private static long descriptors() throws IOException {
        Path own = Path.of("/proc/self/fd");
        if (!Files.isDirectory(own)) {
            return 0;
        }
        try (Stream<Path> all = Files.list(own)) {
            return all.count();
        }
    }

    @Test
    void shouldUseAQueuePairAgainOnlyForItsNewOwner() throws Exception {
        TransportFlags one = FLAGS.with(TransportFlag.RDMA_PREPARED_QP_CNT, 1);
        try (RdmaDomain a = Domains.open(DeviceUnderTest.LEFT, one);
                RdmaDomain b = Domains.open(DeviceUnderTest.RIGHT, one)) {
            for (int i = 0; i < 50; i++) {
                RecordingSink left = new RecordingSink();
                RecordingSink right = new RecordingSink();
                EndpointPair pair = EndpointPair.open(a, b, left, right);
                byte[] mine = {(byte) i, (byte) (i + 1)};
                pair.left.write(pair.leftBytes(mine));
                assertThat(right.awaitBytes(2)).isEqualTo(mine);

                // ends with requests of both sides still on their way
                pair.left.write(pair.leftBytes(new byte[200_000]));
                pair.right.write(pair.rightBytes(new byte[200_000]));
                pair.left.abort(EndpointPair.bye());
                left.awaitEnd();
                pair.right.peerClosed(EndpointPair.peerBye());
                right.awaitEnd();
            }
        }
    }
}
