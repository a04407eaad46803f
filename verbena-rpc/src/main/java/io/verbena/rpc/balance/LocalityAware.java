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
 * Sends each server as many calls as it can answer quickly; brpc's {@code la}, locality-aware: a
 * server that is nearer, faster or less busy answers sooner, and its share grows with calls per
 * second divided by latency.
 *
 * <p>Shares change with every answer, so they are kept in a binary tree: each node knows the sum of
 * the shares below its left child. Choosing and changing take as many steps as the tree is deep.
 */
final class LocalityAware implements LoadBalancer {
    /** The servers of the latest list. */
    private Map<ServerNode, LatencyShare> known = Map.of();

    @Override
    public Picker picker(List<ServerNode> servers) {
        Map<ServerNode, LatencyShare> now = HashMap.newHashMap(servers.size());
        LatencyShare[] shares = new LatencyShare[servers.size()];
        long average = averageOf(known);
        for (int i = 0; i < shares.length; i++) {
            ServerNode server = servers.get(i).identity();
            LatencyShare share = known.get(server);
            shares[i] = share == null ? new LatencyShare(average) : share;
            now.put(server, shares[i]);
        }
        known = now;
        return new Descent(shares);
    }

    /** A new server begins with the share of an average one: calls soon show what it can do. */
    private static long averageOf(Map<ServerNode, LatencyShare> shares) {
        return (long)
                shares.values().stream()
                        .mapToLong(LatencyShare::weight)
                        .average()
                        .orElse(LatencyShare.FIRST_WEIGHT);
    }

    private static final class Descent implements Picker {
        private static final int GUESSES = 8;

        private final LatencyShare[] shares;
        private final ShareTree tree;

        Descent(LatencyShare[] shares) {
            this.shares = shares;
            this.tree = new ShareTree(shares.length);
            for (int i = 0; i < shares.length; i++) {
                tree.set(i, shares[i].weight());
            }
        }

        @Override
        public int select(CallContext call) {
            if (shares.length == 0) {
                return NONE;
            }
            int chosen = NONE;
            for (int i = 0; i < GUESSES && chosen == NONE; i++) {
                int guess = tree.at(ThreadLocalRandom.current().nextLong(tree.total()));
                if (call.isAvailable(guess)) {
                    chosen = guess;
                }
            }
            if (chosen == NONE) {
                chosen = amongAvailable(call);
            }
            if (chosen != NONE) {
                tree.set(chosen, shares[chosen].begin(System.nanoTime()));
            }
            return chosen;
        }

        /** When most servers are gone, the shares of the others still count. */
        private int amongAvailable(CallContext call) {
            long sum = 0;
            for (int i = 0; i < shares.length; i++) {
                sum += call.isAvailable(i) ? shares[i].weight() : 0;
            }
            long point = sum == 0 ? 0 : ThreadLocalRandom.current().nextLong(sum);
            int last = NONE;
            for (int i = 0; i < shares.length && point >= 0; i++) {
                if (call.isAvailable(i)) {
                    last = i;
                    point -= shares[i].weight();
                }
            }
            return last;
        }

        @Override
        public void onFeedback(int server, long latencyNs, int errorCode) {
            tree.set(server, shares[server].end(System.nanoTime(), latencyNs, errorCode));
        }
    }
}
