// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.rpc.spi.LoadBalancer;
import io.verbena.rpc.spi.LoadBalancerProvider;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/** Picks a server at random, all with the same probability; brpc's {@code random}. */
final class RandomChoice implements LoadBalancer {
    private static final int GUESSES = 3;

    @Override
    public int select(Candidates candidates) {
        int size = candidates.size();
        if (size == 0) {
            return NONE;
        }
        // the neighbour of a dead server must not get all its calls
        ThreadLocalRandom random = ThreadLocalRandom.current();
        for (int i = 0; i < GUESSES; i++) {
            int index = random.nextInt(size);
            if (candidates.isAvailable(index)) {
                return index;
            }
        }
        return RoundRobin.firstAvailable(candidates, random.nextInt(size));
    }

    /** Creates these balancers. */
    static final class Provider implements LoadBalancerProvider {
        @Override
        public String name() {
            return "random";
        }

        @Override
        public LoadBalancer create(Map<String, String> parameters) {
            Options.require(parameters.isEmpty(), "random", parameters, "no parameters");
            return new RandomChoice();
        }
    }
}
