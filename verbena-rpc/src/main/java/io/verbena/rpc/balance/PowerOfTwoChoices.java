// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.balance;

import io.verbena.rpc.spi.CallContext;
import io.verbena.rpc.spi.LoadBalancer;
import io.verbena.rpc.spi.ServerNode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Looks at two random servers and takes the less loaded one; brpc's {@code p2c}. The load is the
 * peak-sensitive average latency times the calls in flight, divided by the weight.
 */
final class PowerOfTwoChoices implements LoadBalancer {
    private static final int MOST_CHOICES = 64;
    private static final int GUESSES = 4;

    private final int choices;

    /** The servers of the latest list. */
    private Map<ServerNode, PeakLatency> known = Map.of();

    PowerOfTwoChoices(int choices) {
        if (choices < 2 || choices > MOST_CHOICES) {
            throw new IllegalArgumentException(
                    "p2c: choices=" + choices + " (expected: 2.." + MOST_CHOICES + ")");
        }
        this.choices = choices;
    }

    @Override
    public Picker picker(List<ServerNode> servers) {
        Map<ServerNode, PeakLatency> now = HashMap.newHashMap(servers.size());
        PeakLatency[] loads = new PeakLatency[servers.size()];
        double[] weights = new double[loads.length];
        for (int i = 0; i < loads.length; i++) {
            ServerNode server = servers.get(i).identity();
            PeakLatency load = known.get(server);
            loads[i] = load == null ? new PeakLatency() : load;
            weights[i] = servers.get(i).weight();
            now.put(server, loads[i]);
        }
        known = now;
        return new Choice(choices, loads, weights);
    }

    private static final class Choice implements Picker {
        private final int choices;
        private final PeakLatency[] loads;
        private final double[] weights;

        Choice(int choices, PeakLatency[] loads, double[] weights) {
            this.choices = choices;
            this.loads = loads;
            this.weights = weights;
        }

        @Override
        public int select(CallContext call) {
            if (loads.length == 0) {
                return NONE;
            }
            long now = System.nanoTime();
            int best = NONE;
            double least = Double.MAX_VALUE;
            for (int i = 0; i < choices; i++) {
                int guess = guess(call, best);
                if (guess == NONE) {
                    continue;
                }
                double load = loads[guess].load(now) / weights[guess];
                if (load < least) {
                    least = load;
                    best = guess;
                }
            }
            if (best == NONE) {
                best = Scan.anyAvailable(call);
            }
            if (best != NONE) {
                loads[best].begin(now);
            }
            return best;
        }

        /** {@return an available server other than one, or NONE after some guesses} */
        private int guess(CallContext call, int other) {
            int others = other == NONE ? loads.length : loads.length - 1;
            if (others == 0) {
                return NONE;
            }
            ThreadLocalRandom random = ThreadLocalRandom.current();
            for (int i = 0; i < GUESSES; i++) {
                int index = random.nextInt(others);
                if (other != NONE && index >= other) {
                    index++;
                }
                if (call.isAvailable(index)) {
                    return index;
                }
            }
            return NONE;
        }

        @Override
        public void onFeedback(int server, long latencyNs, int errorCode) {
            loads[server].end(System.nanoTime(), latencyNs, errorCode);
        }
    }
}
