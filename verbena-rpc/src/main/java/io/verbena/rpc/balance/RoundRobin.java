// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.balance;

import io.verbena.rpc.spi.CallContext;
import io.verbena.rpc.spi.LoadBalancer;
import io.verbena.rpc.spi.ServerNode;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Picks one server after another; brpc's {@code rr}. Starts at a random one, so that clients do not
 * move in step. A server that is not available uses up its turn, so the others stay even.
 */
final class RoundRobin implements LoadBalancer, LoadBalancer.Picker {
    private static final int MOST_TURNS = 16;

    private final AtomicInteger next = new AtomicInteger(ThreadLocalRandom.current().nextInt());

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
        int turns = Math.min(size, MOST_TURNS);
        for (int i = 0; i < turns; i++) {
            int index = Math.floorMod(next.getAndIncrement(), size);
            if (call.isAvailable(index)) {
                return index;
            }
        }
        return Scan.anyAvailable(call);
    }
}
