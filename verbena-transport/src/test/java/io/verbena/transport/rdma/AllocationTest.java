// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.BlockPoolOptions;
import io.verbena.memory.IOBuf;
import io.verbena.memory.LeakTracking;
import io.verbena.testing.AllocatedBytes;
import io.verbena.transport.TransportException;
import io.verbena.transport.TransportFlag;
import io.verbena.transport.TransportFlags;
import io.verbena.verbs.Devices;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages cost no garbage once the code is compiled. */
class AllocationTest {
    private static final int ROUNDS = 5_000;
    private static final int ATTEMPTS = 200;

    /** Sends back what comes, and measures itself. */
    private static final class Echo implements RdmaEndpoint.Sink {
        private final CompletableFuture<Long> quietest = new CompletableFuture<>();
        private final RdmaEndpoint endpoint;
        private final int length;
        private int count;
        private int attempts;
        private long least = Long.MAX_VALUE;
        private long before;

        Echo(RdmaEndpoint endpoint, int length) {
            this.endpoint = endpoint;
            this.length = length;
        }

        @Override
        public void onOpen() {}

        @Override
        public void onData(IOBuf received) {
            if (received.size() < length) {
                return;
            }
            endpoint.write(received);
            if (++count % ROUNDS == 0) {
                measure();
            }
        }

        private void measure() {
            long now = AllocatedBytes.now();
            least = attempts > 0 ? Math.min(least, now - before) : least;
            if (least < ROUNDS || ++attempts == ATTEMPTS) {
                quietest.complete(least);
            }
            before = AllocatedBytes.now();
        }

        @Override
        public void onClose(TransportException reason) {
            quietest.completeExceptionally(reason);
        }
    }

    @ParameterizedTest
    @Timeout(240)
    @ValueSource(ints = {64, 400, 4096, 20_000})
    void shouldAllocateNothingPerMessage(int length) throws Exception {
        TransportFlags flags = Domains.FLAGS.with(TransportFlag.RDMA_SPIN_US, 1000);
        BlockPoolOptions pool =
                BlockPoolOptions.DEFAULT
                        .withSizesMb(32, 32)
                        .withLeakTracking(LeakTracking.DISABLED);
        try (RdmaDevice a = RdmaDevice.open(Devices.open(DeviceUnderTest.LEFT), flags, pool);
                RdmaDevice b = RdmaDevice.open(Devices.open(DeviceUnderTest.RIGHT), flags, pool)) {
            EndpointPair pair = EndpointPair.connect(a, b);
            Echo left = new Echo(pair.left, length);
            pair.left.open(left);
            pair.right.open(new Echo(pair.right, length));

            pair.left.write(pair.leftBytes(new byte[length]));
            long bytes = left.quietest.get(150, TimeUnit.SECONDS);

            assertThat(bytes).as("bytes in %d messages", ROUNDS).isLessThan(ROUNDS);
            pair.close();
        }
    }
}
