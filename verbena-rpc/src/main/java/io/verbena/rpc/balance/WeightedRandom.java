// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.balance;

import io.verbena.rpc.spi.CallContext;
import io.verbena.rpc.spi.LoadBalancer;
import io.verbena.rpc.spi.ServerNode;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Picks a server at random, in proportion to the weights; brpc's {@code wr}. */
final class WeightedRandom implements LoadBalancer {
    private static final int GUESSES = 8;

    @Override
    public Picker picker(List<ServerNode> servers) {
        WeightCircle circle = new WeightCircle(servers);
        return call -> select(call, circle);
    }

    private static int select(CallContext call, WeightCircle circle) {
        long length = circle.length();
        if (length == 0) {
            return NONE;
        }
        ThreadLocalRandom random = ThreadLocalRandom.current();
        for (int i = 0; i < GUESSES; i++) {
            int index = circle.at(random.nextLong(length));
            if (call.isAvailable(index)) {
                return index;
            }
        }
        return circle.anyAvailable(call);
    }
}
