// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.rpc.spi.CallContext;
import io.verbena.rpc.spi.LoadBalancer;
import io.verbena.rpc.spi.LoadBalancerProvider;
import io.verbena.rpc.spi.ServerNode;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Picks one server after another; brpc's {@code rr}. Starts at a random one, so that clients do not
 * move in step.
 */
final class RoundRobin implements LoadBalancer, LoadBalancer.Picker {
    private final AtomicInteger next = new AtomicInteger(ThreadLocalRandom.current().nextInt());

    @Override
    public Picker picker(List<ServerNode> servers) {
        return this;
    }

    @Override
    public int select(CallContext call) {
        return firstAvailable(call, next.getAndIncrement());
    }

    /** {@return the first available server from an index on, wrapping around} */
    static int firstAvailable(CallContext call, int from) {
        int size = call.size();
        for (int i = 0; i < size; i++) {
            int index = Math.floorMod(from + i, size);
            if (call.isAvailable(index)) {
                return index;
            }
        }
        return NONE;
    }

    /** Creates these balancers. */
    static final class Provider implements LoadBalancerProvider {
        @Override
        public String name() {
            return "rr";
        }

        @Override
        public LoadBalancer create(Map<String, String> parameters) {
            Options.require(parameters.isEmpty(), "rr", parameters, "no parameters");
            return new RoundRobin();
        }
    }
}
