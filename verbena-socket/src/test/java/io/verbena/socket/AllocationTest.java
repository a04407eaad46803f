// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.AllocatedBytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Small messages cost no garbage once the code is compiled. */
class AllocationTest {
    private static final int ROUNDS = 2_000;
    private static final int ATTEMPTS = 100;
    private static final int BYTES_PER_MESSAGE = 4;

    @Test
    void shouldAllocateNothingPerSmallMessage() throws Exception {
        try (Stacks stacks = new Stacks(Stacks.NATIVE)) {
            Stacks.Pair pair = stacks.pair();
            long least = Long.MAX_VALUE;
            for (int i = 0; i < ATTEMPTS && least > ROUNDS * BYTES_PER_MESSAGE; i++) {
                long before = AllocatedBytes.now();
                rally(pair);
                least = Math.min(least, AllocatedBytes.now() - before);
            }

            // what the JVM itself allocates now and then is far less than an object per message
            assertThat(least).isLessThanOrEqualTo((long) ROUNDS * BYTES_PER_MESSAGE);
        }
    }

    private static void rally(Stacks.Pair pair) throws IOException {
        ByteBuffer message = ByteBuffer.allocateDirect(64);
        for (int i = 0; i < ROUNDS; i++) {
            pair.client().send(message.clear());
            pair.server().receive(message.clear());
            pair.server().send(message.flip());
            pair.client().receive(message.clear());
        }
    }
}
