// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.balance;

import io.verbena.rpc.spi.CallContext;
import io.verbena.rpc.spi.LoadBalancer;
import io.verbena.rpc.spi.ServerNode;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Picks a server at random, all with the same probability; brpc's {@code random}. */
final class RandomChoice implements LoadBalancer, LoadBalancer.Picker {
    private static final int GUESSES = 8;

    @Override
    public Picker picker(List<ServerNode> servers) {
        return this;
    }

    @Override
    public int select(CallContext call) {
        int size = call.size();
        if (size == 0) {
            return NONE;
        }
        ThreadLocalRandom random = ThreadLocalRandom.current();
        for (int i = 0; i < GUESSES; i++) {
            int index = random.nextInt(size);
            if (call.isAvailable(index)) {
                return index;
            }
        }
        return Scan.anyAvailable(call);
    }
}
