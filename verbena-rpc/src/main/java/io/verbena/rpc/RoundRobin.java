// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.rpc.spi.LoadBalancer;
import io.verbena.rpc.spi.LoadBalancerProvider;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Picks one server after another; brpc's {@code rr}. Starts at a random one, so that clients do not
 * move in step.
 */
final class RoundRobin implements LoadBalancer {
    private final AtomicInteger next = new AtomicInteger(ThreadLocalRandom.current().nextInt());

    @Override
    public int select(Candidates candidates) {
        return firstAvailable(candidates, next.getAndIncrement());
    }

    /** {@return the first available server from an index on, wrapping around} */
    static int firstAvailable(Candidates candidates, int from) {
        int size = candidates.size();
        for (int i = 0; i < size; i++) {
            int index = Math.floorMod(from + i, size);
            if (candidates.isAvailable(index)) {
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
